import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { DepotFile } from '../../ticket/depot/format/depot-file.ts'
import type { Place } from './place.ts'

/** Downloads a depot with steam-user in a separate process, and prints how many seconds it took. */

/** The methods of steam-user for downloads, which its types do not have. */
interface Library {
  getContentServers: () => Promise<unknown>
  getDepotDecryptionKey: () => Promise<unknown>
  downloadFile(appId: number, depotId: number, file: object, at: string): Promise<unknown>
}

/** The input, a JSON file. The files of the manifest are in it, so that none of farmgate's code runs in this process. */
export interface LibraryOrder {
  readonly place: Place
  readonly files: readonly DepotFile[]
}

/** Calls `downloadFile` for each file of a depot in turn; it fetches four chunks of a file at once. */
async function download({ place, files }: LibraryOrder): Promise<void> {
  const require = createRequire(import.meta.url)
  const SteamUser: new (options: object) => Library = require('steam-user')
  const client = new SteamUser({ dataDirectory: null })
  const server = { type: 'CDN', Host: place.host, vhost: place.host, https_support: 'optional' }
  client.getContentServers = async () => ({ servers: Array.from({ length: 5 }, () => server) })
  client.getDepotDecryptionKey = async () => ({ key: Buffer.from(place.key, 'hex') })
  for (const { path, size, sha, chunks } of files) {
    const at = join(place.directory, path)
    mkdirSync(dirname(at), { recursive: true })
    const pieces = chunks.map((chunk) => ({ sha: chunk.sha, offset: String(chunk.offset) }))
    const file = { filename: path, size: String(size), sha_content: sha, flags: 0, chunks: pieces }
    await client.downloadFile(413150, place.depotId, file, at)
  }
}

const [, , order = ''] = process.argv
const started = performance.now()
await download(JSON.parse(readFileSync(order, 'utf8')))
process.stdout.write(JSON.stringify((performance.now() - started) / 1000))
