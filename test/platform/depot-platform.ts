import type { ContentServer, DepotVersion, Platform } from '../../ticket/depot/platform.ts'
import { DownloadError } from '../../ticket/errors.ts'
import type { StandInDepot } from './depots.ts'

/** The answers that a download gets from the platform, without a session: for tests of the download only. */
export interface DepotPlatform extends Platform {
  /** Public versions by app. */
  readonly apps: Map<number, StandInDepot>
  servers: ContentServer[]
  /** Apps the account does not own. */
  readonly notOwned: Set<number>
  /** Query string for content servers, and how often it was requested. */
  token: string
  tokensGiven: number
  requestCode: string
}

export function depotPlatform(apps: Record<number, StandInDepot>, hosts: readonly string[]): DepotPlatform {
  const all = new Map(Object.entries(apps).map(([id, depot]) => [Number(id), depot]))
  const platform: DepotPlatform = {
    apps: all,
    servers: hosts.map(server),
    notOwned: new Set(),
    token: '?token=secret-token',
    tokensGiven: 0,
    requestCode: '1234567890123456789',
    async depotVersion(appId): Promise<DepotVersion> {
      const depot = all.get(appId)
      if (depot === undefined) throw new DownloadError('platform', `no app ${appId}`)
      return { appId, name: `App ${appId}`, depotId: depot.depotId, manifestId: depot.manifestId }
    },
    async rejectIfNotOwned(appId) {
      if (platform.notOwned.has(appId)) throw new DownloadError('not_owned', 'not owned')
    },
    async depotKey(_appId, depotId) {
      const depot = [...all.values()].find((known) => known.depotId === depotId)
      if (depot === undefined) throw new DownloadError('platform', 'no key')
      return depot.key
    },
    manifestRequestCode: async () => platform.requestCode,
    contentServers: async () => platform.servers,
    async cdnToken() {
      platform.tokensGiven += 1
      return platform.token
    },
  }
  return platform
}

export function server(host: string): ContentServer {
  return { host, vhost: host, https: 'none', load: 10 }
}
