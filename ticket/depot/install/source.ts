import { createSecretKey } from 'node:crypto'
import { DownloadError } from '../../errors.ts'
import { type Cdn, openCdn } from '../cdn/cdn.ts'
import { watchOutage } from '../cdn/outage.ts'
import { serverPool } from '../cdn/server-pool.ts'
import { contentTokens } from '../cdn/tokens.ts'
import { type Manifest, readManifest } from '../format/manifest.ts'
import type { ContentServer, DepotVersion } from '../platform.ts'
import type { Context } from './context.ts'

/** One version of a depot: its manifest, its key, and the content servers for its chunks. */
export interface Source {
  readonly version: DepotVersion
  readonly manifest: Manifest
  readonly key: Buffer
  readonly cdn: Cdn
}

/** Bytes; also the memory for a manifest without a stated length, which a proxy may remove. */
const maxPackedManifest = 32 * 2 ** 20

/** A manifest that is refused this often is refused permanently: it is not the fault of one server. */
const maxRefusals = 3

/**
 * Asks Steam for an app's depot and reads its manifest.
 * @param manifestId an installed version to open instead of the public one
 */
export async function openSource(appId: number, context: Context, manifestId?: string): Promise<Source> {
  const { platform, retries, progress, signal, now, random } = context
  const current = await platform.depotVersion(appId)
  const version = manifestId === undefined ? current : { ...current, manifestId }
  const [key, servers] = await Promise.all([
    platform.depotKey(version.appId, version.depotId),
    platform.contentServers(version.appId),
  ])
  const tokens = contentTokens(platform, version)
  const outage = watchOutage({ retries, now, say: progress.say, warn: progress.warn })
  const cdnOf = (some: readonly ContentServer[]): Cdn => {
    const pool = serverPool(some, retries, now, random)
    const { connections, connectionCount: count } = context
    return openCdn({ pool, tokens, connections, count, retries, outage, now, random })
  }
  const cdn = cdnOf(servers)
  const secure = secureServers(servers)
  let refusals = 0
  const manifest = await (secure.length > 0 ? cdnOf(secure) : cdn).fetch({
    what: 'the manifest',
    path: async () => {
      const code = await platform.manifestRequestCode(version)
      return `/depot/${version.depotId}/manifest/${version.manifestId}/5${code === '0' ? '' : `/${code}`}`
    },
    memory: (length = maxPackedManifest) => {
      if (length > maxPackedManifest) throw new Error('the answer is too long for a manifest')
      return Buffer.allocUnsafeSlow(length)
    },
    accept: async (packed) => {
      try {
        const read = readManifest(packed, createSecretKey(key))
        return read.manifestId === version.manifestId && read.depotId === version.depotId ? read : undefined
      } catch (error) {
        if (error instanceof DownloadError) refusals += 1
        if (refusals === maxRefusals) throw error
        return undefined
      }
    },
    signal,
  })
  return { version, manifest, key, cdn }
}

/**
 * The servers that offer HTTPS. The manifest, whose checksums decide about everything else, comes only from these and
 * only by HTTPS, if Steam lists any: if plain HTTP followed a failure, an attacker on the way could cause the failure.
 */
function secureServers(servers: readonly ContentServer[]): ContentServer[] {
  return servers.flatMap((server): ContentServer[] => {
    if (server.https === 'none') return []
    // The port of a server with both is that of plain HTTP.
    const name = server.https === 'optional' ? URL.parse(`http://${server.host}`)?.hostname : undefined
    return [{ ...server, host: name ?? server.host, https: 'mandatory' }]
  })
}
