/** Writes the archive of a save: a zip with the save's folder at its top, as SMAPI's own backups have it, and a manifest. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { type Manifest, manifestName } from './manifest.ts'
import type { Save } from './saves-folder.ts'

/** Bytes that are compressed at once; more would wait for the disk in memory. */
const pieceBytes = 64 * 1024

/**
 * Writes a new file and flushes it to the disk. Memory is bounded whatever the size of the save.
 * @throws the error of the file system; the file may then be there in part
 */
export async function writeArchive(path: string, { folder, name }: Save, manifest: Manifest): Promise<void> {
  const zip = new ZipFile()
  const mtime = new Date(manifest.madeAt)
  // Opened when its turn comes.
  for (const file of manifest.files)
    zip.addReadStreamLazy(`${name}/${file.path}`, { mtime, mode: 0o100644 }, (cb) =>
      cb(null, createReadStream(join(folder, file.path), { highWaterMark: pieceBytes })),
    )
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), manifestName, { mtime, mode: 0o100644 })
  zip.end()
  // Errors of the files that are read are told here, and not by the stream that is written.
  const failed = new AbortController()
  let cause: unknown
  zip.on('error', (error) => {
    cause = error
    failed.abort()
  })
  await pipeline(zip.outputStream, createWriteStream(path, { flags: 'wx', mode: 0o600 }), {
    signal: failed.signal,
  }).catch((error: unknown) => {
    throw cause ?? error
  })
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}
