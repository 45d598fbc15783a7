import type { MakeBackgroundDownload } from '../background-download.ts'
import { installGame } from './game.ts'
import { configuredFilter, openContext } from './open-context.ts'
import { planText } from './report/plan-text.ts'
import { logProgress } from './report/progress-output.ts'
import { summaryText } from './report/summary.ts'
import { steamPlatform } from './steam-platform.ts'
import { hasMarker } from './tree/marker.ts'

/** The download that `serve` runs by itself while the completion marker is missing. It tells the log how it goes. */
export const makeBackgroundDownload: MakeBackgroundDownload = (config, log) => {
  const { appId, gameDir: directory } = config
  return {
    isComplete: () => hasMarker(directory, appId),
    async download(client, signal) {
      const progress = logProgress(log, () => performance.now())
      const filter = configuredFilter(config, progress.warn)
      const { context, close } = openContext(config, steamPlatform(client), progress, signal)
      try {
        const done = await installGame(
          { appId, directory, filter },
          (version, plan) => progress.say(planText(version, plan)),
          context,
        )
        for (const each of done) progress.say(summaryText(each))
      } finally {
        progress.end()
        await close()
      }
    },
  }
}
