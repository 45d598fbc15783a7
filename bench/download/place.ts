import type { DownloadSettings } from '../../ticket/depot/download-settings.ts'
import type { Platform } from '../../ticket/depot/platform.ts'

const GAME_APP = 413150

/** The depot of the SDK, which is installed before the game. */
export const SDK_DEPOT = 1006

/** A depot of the benchmark: its content server, its keys, and the directory to download to. Sent to processes as JSON. */
export interface Place {
  readonly host: string
  readonly depotId: number
  readonly key: string
  readonly sdkKey: string
  readonly workers: number
  readonly directory: string
}

/** The app that is downloaded before the game; in the benchmark it has one small file. */
const SDK_APP = 1007

/** A platform for one depot, with fixed answers. */
export function placePlatform({ host, depotId: gameDepot, key, sdkKey }: Place): Platform {
  return {
    async depotVersion(appId) {
      const depotId = appId === SDK_APP ? SDK_DEPOT : gameDepot
      return { appId, name: 'bench', depotId, manifestId: String(depotId) }
    },
    rejectIfNotOwned: async () => undefined,
    depotKey: async (appId) => Buffer.from(appId === SDK_APP ? sdkKey : key, 'hex'),
    manifestRequestCode: async () => '1234567890123456789',
    contentServers: async () => [{ host, vhost: host, https: 'none', load: 10 }],
    cdnToken: async () => '',
  }
}

/** The settings that the commands use, with their defaults. */
export function placeSettings({ workers, directory }: Place): DownloadSettings {
  return {
    appId: GAME_APP,
    gameDir: directory,
    proxy: undefined,
    downloadConnections: 16,
    downloadWorkers: workers,
    forceRedownload: false,
    keepLanguages: [],
    downloadExclude: [],
  }
}
