import type { MakeBackgroundDownload } from '../../download-port.ts'
import type { PlatformClient } from '../../steam-user.ts'
import { logProgress } from '../report/progress-output.ts'
import { type TransferRate, transferRate } from '../report/transfer-rate.ts'
import { steamPlatform } from '../steam-platform.ts'
import { hasMarker, hasVersion } from '../tree/marker.ts'
import { runDepot } from './run.ts'

/** The background download of `serve`. It runs while the completion marker is missing and logs its progress. */
export const makeBackgroundDownload: MakeBackgroundDownload = (config, log) => {
  let rate: TransferRate | undefined
  const isComplete = async () => hasMarker(config.gameDir, config.appId)
  return {
    isComplete,
    amount: () => rate?.amount(),
    repairsAtStart: config.validateOnBoot,
    async download(client, signal) {
      // Only a repair that was interrupted leaves a version without the marker.
      await run(hasVersion(config.gameDir, config.appId) ? 'repair' : 'install', client, signal)
    },
    async repair(client, signal) {
      // Without a version to compare with, a repair would be an update.
      if (!hasVersion(config.gameDir, config.appId))
        throw new Error('no completed download says which version is installed')
      return (await run('repair', client, signal)).files
    },
  }

  async function run(command: 'install' | 'repair', client: PlatformClient, signal: AbortSignal) {
    const counted = transferRate(() => performance.now())
    const progress = logProgress(log, () => performance.now(), counted)
    rate = counted
    const platform = steamPlatform(client, signal)
    const onPlan = ({ text }: { readonly text: string }): void => progress.say(text)
    try {
      const settings = command === 'repair' ? { ...config, forceRedownload: false } : config
      const outcome = await runDepot(command, { settings, platform, progress, signal, onPlan })
      for (const { text } of outcome.reports) progress.say(text)
      return outcome
    } finally {
      progress.end()
      rate = undefined
    }
  }
}
