import type { RunCommand } from '../command.ts'
import { downloadFailure } from '../depot/failure.ts'
import { installGame } from '../depot/game.ts'
import { configuredFilter, openContext } from '../depot/open-context.ts'
import { planJson, planText } from '../depot/report/plan-text.ts'
import { outputProgress } from '../depot/report/progress-output.ts'
import { summaryJson, summaryText } from '../depot/report/summary.ts'
import { steamPlatform } from '../depot/steam-platform.ts'
import { withSession } from '../session/command-session.ts'

/** Downloads or updates the game and the SDK. With `--json` stdout gets the plan and the outcome, a line each. */
export const run: RunCommand = (command) =>
  withSession(command, async ({ client }) => {
    const { config, flags, signal } = command
    const json = flags.has('json')
    const progress = outputProgress(process.stderr, () => performance.now())
    signal.addEventListener('abort', () => progress.end(), { once: true })
    const filter = configuredFilter(config, progress.warn)
    const { context, close } = openContext(config, steamPlatform(client), progress, signal)
    try {
      const request = { appId: config.appId, directory: config.gameDir, filter }
      const done = await installGame(
        request,
        (version, plan) => {
          progress.say(planText(version, plan))
          if (json) void command.result(`${JSON.stringify({ event: 'plan', ...planJson(version, plan) })}\n`)
        },
        context,
      )
      for (const each of done) {
        progress.say(summaryText(each))
        if (json) await command.result(`${JSON.stringify({ event: 'done', ...summaryJson(each) })}\n`)
      }
    } catch (error) {
      throw downloadFailure(error)
    } finally {
      progress.end()
      await close()
    }
  })
