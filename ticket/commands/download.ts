import type { RunCommand } from '../command-context.ts'
import { downloadFailure } from '../depot/download-failure.ts'
import { commandProgress } from '../depot/report/command-progress.ts'
import { steamPlatform } from '../depot/steam-platform.ts'
import { runDepot } from '../depot/thread/run.ts'
import { withSession } from '../session/command-session.ts'

/** Downloads or updates the game and the SDK. With `--json`, stdout gets one line per plan and per outcome. */
export const run: RunCommand = (command) =>
  withSession(command, async ({ client, ended }) => {
    const { config, flags, signal } = command
    const progress = commandProgress(command)
    const report = async (event: 'plan' | 'done', text: string, json: object): Promise<void> => {
      progress.say(text)
      if (flags.has('json')) await command.result(`${JSON.stringify({ event, ...json })}\n`)
    }
    try {
      const { reports } = await runDepot('install', {
        settings: config,
        platform: steamPlatform(client, ended),
        progress,
        signal,
        onPlan: ({ text, json }) => void report('plan', text, json),
      })
      for (const { text, json } of reports) await report('done', text, json)
    } catch (error) {
      throw downloadFailure('Download', error)
    } finally {
      progress.end()
    }
  })
