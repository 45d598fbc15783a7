import { DownloadError } from '../../errors.ts'
import { type Cdn, openCdn } from '../cdn/content-servers.ts'
import { serverPool } from '../cdn/server-pool.ts'
import type { Manifest } from '../format/manifest.ts'
import type { DepotVersion } from '../platform.ts'
import type { Context } from './context.ts'

/** One version of a depot: its manifest, its key, and the content servers for its chunks. */
export interface Source {
  readonly version: DepotVersion
  readonly manifest: Manifest
  readonly key: Buffer
  readonly cdn: Cdn
}

const maxPackedManifest = 128 * 2 ** 20
/** Bytes for a manifest without a stated length, which a proxy may remove. */
const unstatedManifestRoom = 32 * 2 ** 20

/**
 * Asks Steam for an app's depot and reads its manifest.
 * @param manifestId an installed version to open in place of the public one
 */
export async function openSource(appId: number, context: Context, manifestId?: string): Promise<Source> {
  const { platform, workers, connections, connectionCount, retries, now, random, signal } = context
  const current = await platform.depotVersion(appId)
  const version = manifestId === undefined ? current : { ...current, manifestId }
  const [key, servers] = await Promise.all([
    platform.depotKey(version.appId, version.depotId),
    platform.contentServers(version.appId),
  ])
  const pool = serverPool(servers, retries, now, random)
  const cdn = openCdn({ platform, version, pool, connections, count: connectionCount, retries, now })
  const manifest = await cdn.fetch(
    async () => {
      const code = await platform.manifestRequestCode(version)
      return `/depot/${version.depotId}/manifest/${version.manifestId}/5${code === '0' ? '' : `/${code}`}`
    },
    (length = unstatedManifestRoom) => {
      if (length > maxPackedManifest) throw new Error('manifest of absurd length')
      return Buffer.allocUnsafeSlow(length)
    },
    async (packed) => {
      try {
        const read = await workers.run<'manifest'>({ do: 'manifest', packed, key })
        return read.manifestId === version.manifestId && read.depotId === version.depotId ? read : undefined
      } catch (error) {
        // A hostile manifest is the same on every server. After damaged bytes, the next server is tried.
        if (error instanceof DownloadError) throw error
        return undefined
      }
    },
    signal,
  )
  return { version, manifest, key, cdn }
}
