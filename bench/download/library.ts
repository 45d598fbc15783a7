import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Manifest } from '../../ticket/depot/format/manifest.ts'
import type { Place } from './place.ts'

/** The part of steam-user that downloads; its types lack it. */
interface Library {
  getContentServers: () => Promise<unknown>
  getDepotDecryptionKey: () => Promise<unknown>
  downloadFile(appId: number, depotId: number, file: object, at: string): Promise<unknown>
}

/**
 * The platform library's own `downloadFile` over the same depot.
 * @param atOnce files at once; it takes four chunks of each
 * @returns seconds
 */
export async function libraryDownload(place: Place, manifest: Manifest, atOnce: number): Promise<number> {
  const require = createRequire(import.meta.url)
  const SteamUser: new (options: object) => Library = require('steam-user')
  const client = new SteamUser({ dataDirectory: null })
  const server = { type: 'CDN', Host: place.host, vhost: place.host, https_support: 'optional' }
  client.getContentServers = async () => ({ servers: Array.from({ length: 5 }, () => server) })
  client.getDepotDecryptionKey = async () => ({ key: Buffer.from(place.key, 'hex') })
  const next = manifest.files.values()
  const lane = async (): Promise<void> => {
    for (const { path, size, sha, chunks } of next) {
      const at = join(place.directory, path)
      mkdirSync(dirname(at), { recursive: true })
      const pieces = chunks.map((chunk) => ({ sha: chunk.sha, offset: String(chunk.offset) }))
      const file = { filename: path, size: String(size), sha_content: sha, flags: 0, chunks: pieces }
      await client.downloadFile(413150, place.depotId, file, at)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: atOnce }, lane))
  return (performance.now() - started) / 1000
}
