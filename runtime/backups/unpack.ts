/** Unpacks an archive that anybody may have made. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { Entry } from 'yauzl'
import { manifestName } from './manifest.ts'
import { BrokenArchive, eachEntry, verifyArchive } from './read-archive.ts'

export interface UnpackLimits {
  readonly files: number
  /** Of all files together. */
  readonly bytes: number
}

/** A farm of many years has some files of together less than 100 MB; SMAPI's archives have all farms. */
const usualLimits: UnpackLimits = { files: 10_000, bytes: 2 * 1024 ** 3 }

/**
 * Writes the files of an archive below a folder. Names that begin with a dot are left out.
 * @throws {BrokenArchive} it is no zip; a name leaves the folder, is a link or comes twice; it is larger than the limits;
 *   a file has another checksum, or another digest than the manifest of farmgate says
 * @throws the error of the file system, such as a full disk
 */
export async function unpackArchive(path: string, folder: string, limits = usualLimits): Promise<void> {
  let files = 0
  let bytes = 0
  let hasManifest = false
  await eachEntry(path, async (entry, open) => {
    const { fileName } = entry
    if (isLink(entry)) throw new BrokenArchive(`${fileName} is a link`)
    if (fileName === manifestName) hasManifest = true
    if (fileName.endsWith('/') || fileName === manifestName || isHidden(fileName)) return
    files += 1
    bytes += entry.uncompressedSize
    if (files > limits.files) throw new BrokenArchive(`it has more than ${limits.files} files`)
    if (bytes > limits.bytes) throw new BrokenArchive(`it unpacks to more than ${limits.bytes} bytes`)
    const target = join(folder, fileName)
    try {
      await mkdir(dirname(target), { recursive: true })
      await pipeline(await open(), checked(entry), createWriteStream(target, { flags: 'wx' }))
    } catch (error) {
      throw isOfNames(error) ? new BrokenArchive(`${fileName} cannot be a file beside the others`) : error
    }
  })
  if (hasManifest) await verifyArchive(path)
}

/** The type of a file in the upper half of its attributes, as Unix has it. */
const typeMask = 0o170000
const link = 0o120000
const isLink = ({ externalFileAttributes }: Entry) => ((externalFileAttributes >>> 16) & typeMask) === link

const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')

/** A name that comes twice, is also a folder, or is too long. */
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
