import type { RunCommand } from '../command-context.ts'
import { downloadFailure } from '../depot/download-failure.ts'
import { commandProgress } from '../depot/report/command-progress.ts'
import { steamPlatform } from '../depot/steam-platform.ts'
import { runDepot } from '../depot/thread/run.ts'
import { Failure } from '../errors.ts'
import { withSession } from '../session/command-session.ts'

/** Checks the installed files without changing them. Prints the differences and exits with 1 when there are any. */
export const run: RunCommand = (command) =>
  withSession(command, async ({ client, ended }) => {
    const { config, flags, signal } = command
    const progress = commandProgress(command)
    try {
      const platform = steamPlatform(client, ended)
      const { reports, wrong } = await runDepot('verify', { settings: config, platform, progress, signal })
      for (const { text, json } of reports) {
        progress.say(text)
        if (flags.has('json')) await command.result(`${JSON.stringify(json)}\n`)
      }
      if (wrong > 0)
        throw new Failure('failed', 'The installed files differ. Run the download command to fix them.')
    } catch (error) {
      throw downloadFailure('Check', error)
    } finally {
      progress.end()
    }
  })
