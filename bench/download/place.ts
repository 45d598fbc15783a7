import type { Platform } from '../../ticket/depot/platform.ts'
import type { DownloadSettings } from '../../ticket/depot/settings.ts'

const GAME_APP = 413150

/** The depot of the SDK, which is installed before the game. */
export const SDK_DEPOT = 1006

/** Where a depot of the bench lies; a plain value that goes to other processes as text. */
export interface Place {
  readonly host: string
  readonly depotId: number
  readonly key: string
  readonly sdkKey: string
  readonly workers: number
  readonly directory: string
}

/** The app whose download comes before the game's; in the bench it has one small file. */
const SDK_APP = 1007

/** The port of the platform for one depot: its answers are known beforehand. */
export function placePlatform({ host, depotId: gameDepot, key, sdkKey }: Place): Platform {
  return {
    async depotVersion(appId) {
      const depotId = appId === SDK_APP ? SDK_DEPOT : gameDepot
      return { appId, name: 'bench', depotId, manifestId: String(depotId) }
    },
    checkOwned: async () => undefined,
    depotKey: async (appId) => Buffer.from(appId === SDK_APP ? sdkKey : key, 'hex'),
    manifestRequestCode: async () => '1234567890123456789',
    contentServers: async () => [{ host, vhost: host, https: false, load: 10 }],
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
