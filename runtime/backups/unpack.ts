/** Unpacks an archive that anybody may have made. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { Entry } from 'yauzl'
import { isFolder, usualLimits } from './allowed-entries.ts'
import { manifestName } from './manifest.ts'
import { BrokenArchive, eachEntry, verifyArchive } from './read-archive.ts'

/**
 * Writes the files of an archive below a folder. Names that begin with a dot are left out.
 * @throws {BrokenArchive} as `eachEntry`, and for a file that has another checksum, or another digest than the manifest of
 *   farmgate says
 * @throws the error of the file system, such as a full disk
 */
export async function unpackArchive(path: string, folder: string, limits = usualLimits): Promise<void> {
  let hasManifest = false
  await mkdir(folder, { recursive: true })
  await eachEntry(
    path,
    async (entry, open) => {
      const { fileName } = entry
      if (fileName === manifestName) hasManifest = true
      if (isFolder(fileName) || fileName === manifestName || isHidden(fileName)) return
      const target = join(folder, fileName)
      try {
        await mkdir(dirname(target), { recursive: true })
        await pipeline(await open(), checked(entry), createWriteStream(target, { flags: 'wx' }))
      } catch (error) {
        throw isOfNames(error) ? new BrokenArchive(`${fileName} cannot be a file beside the others`) : error
      }
    },
    limits,
  )
  if (hasManifest) await verifyArchive(path)
}

/** Reads every file of an archive without a manifest, and writes none. @throws as `unpackArchive` */
export const tryArchive = (path: string): Promise<void> =>
  eachEntry(path, async (entry, open) => {
    if (isFolder(entry.fileName)) return
    await pipeline(await open(), checked(entry), async (pieces: AsyncIterable<Buffer>) => {
      for await (const _ of pieces);
    })
  })

const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')

/** A name that is also a folder, or is too long. */
const isOfNames = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(EEXIST|ENOTDIR|EISDIR|ENAMETOOLONG)$/.test(String(error.code))

/** Passes a file on. The reader of zips compares its length and not its checksum. */
function checked({ crc32: expected, fileName }: Entry): Transform {
  let sum = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      sum = crc32(piece, sum)
      done(null, piece)
    },
    flush(done) {
      done(sum === expected ? null : new BrokenArchive(`${fileName} has another checksum`))
    },
  })
}
