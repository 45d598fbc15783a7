import type { RunCommand } from '../command.ts'
import { downloadFailure } from '../depot/failure.ts'
import { verifyGame } from '../depot/game.ts'
import { configuredFilter, openContext } from '../depot/open-context.ts'
import { outputProgress } from '../depot/report/progress-output.ts'
import { verifiedText } from '../depot/report/verified-text.ts'
import { steamPlatform } from '../depot/steam-platform.ts'
import { Failure } from '../failure.ts'
import { withSession } from '../session/command-session.ts'

/** Checks the installed files and changes nothing. Ends with 1 and a list when something differs. */
export const run: RunCommand = (command) =>
  withSession(command, async ({ client }) => {
    const { config, flags, signal } = command
    const progress = outputProgress(process.stderr, () => performance.now())
    signal.addEventListener('abort', () => progress.end(), { once: true })
    const filter = configuredFilter(config, progress.warn)
    const { context, close } = openContext(config, steamPlatform(client), progress, signal)
    try {
      const found = await verifyGame({ appId: config.appId, directory: config.gameDir, filter }, context)
      for (const each of found) {
        progress.say(verifiedText(each))
        if (flags.has('json')) await command.result(`${JSON.stringify(each)}\n`)
      }
      const wrong = found.reduce(
        (sum, { differences, unfinished }) => sum + differences.length + Number(unfinished),
        0,
      )
      if (wrong > 0)
        throw new Failure('failed', 'The installed files differ. Run the download command to mend them.')
    } catch (error) {
      throw downloadFailure(error)
    } finally {
      progress.end()
      await close()
    }
  })
