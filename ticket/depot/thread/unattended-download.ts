import type { MakeBackgroundDownload } from '../../download-port.ts'
import { logProgress } from '../report/progress-output.ts'
import { steamPlatform } from '../steam-platform.ts'
import { hasMarker } from '../tree/marker.ts'
import { runDepot } from './run.ts'

/** The background download of `serve`. It runs while the completion marker is missing and logs its progress. */
export const makeBackgroundDownload: MakeBackgroundDownload = (config, log) => ({
  isComplete: async () => hasMarker(config.gameDir, config.appId),
  async download(client, signal) {
    const progress = logProgress(log, () => performance.now())
    const platform = steamPlatform(client, signal)
    const onPlan = ({ text }: { readonly text: string }): void => progress.say(text)
    try {
      const { reports } = await runDepot('install', { settings: config, platform, progress, signal, onPlan })
      for (const { text } of reports) progress.say(text)
    } finally {
      progress.end()
    }
  },
})
