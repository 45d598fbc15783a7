/** Writes the archive of a save: a zip with the save's folder at its top, as SMAPI's own backups have it, and a manifest. */
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { pieceBytes, piecesOf } from '../archives/file-pieces.ts'
import { type Manifest, manifestName } from '../archives/manifest.ts'
import { inSave, type Save } from '../saves/saves-folder.ts'

/**
 * For the pieces of a file on their way through the zip: it holds at most five while the disk takes nothing. The
 * digest of a piece that was overwritten too early would be wrong when the archive is read back.
 */
const buffers = 8

/**
 * Writes a new file and flushes it to the disk. Memory is bounded for any size of the save.
 * @throws the error of the file system, such as that of a file of the save that vanishes; the archive may then exist
 * in part
 */
export const writeArchive = (path: string, save: Save, manifest: Manifest): Promise<void> =>
  inSave(save, (folder) => write(path, folder, save.name, manifest))

async function write(path: string, folder: SharedFolder, name: string, manifest: Manifest): Promise<void> {
  const zip = new ZipFile()
  const mtime = new Date(manifest.madeAt)
  const failed = new AbortController()
  let reading: Readable | undefined
  // Opened when its turn comes. The zip does not listen to errors of its input.
  for (const file of manifest.files)
    zip.addReadStreamLazy(`${name}/${file.path}`, { mtime, mode: 0o100644 }, (cb) => {
      reading = Readable.from(contentOf(folder, file.path), { objectMode: false, highWaterMark: pieceBytes })
      reading.on('error', (error) => failed.abort(error))
      cb(null, reading)
    })
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), manifestName, { mtime, mode: 0o100644 })
  zip.end()
  const written = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(zip.outputStream, written, { signal: failed.signal })
  } catch (error) {
    reading?.destroy()
    throw failed.signal.aborted ? failed.signal.reason : error
  }
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}

async function* contentOf(folder: SharedFolder, path: string): AsyncGenerator<Buffer, void> {
  await using file = await folder.open(path, 'read')
  yield* piecesOf(file, buffers)
}
