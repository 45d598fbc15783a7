/** Reads archives back. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { errorCode } from '../../lib/error-code.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { NotAFolder, NotRegular } from '../../lib/shared-folder/access.ts'
import { type ArchiveLimits, archiveLimits, entryRules, isFolder, tooManyFiles } from './allowed-entries.ts'
import { BrokenArchive } from './broken-archive.ts'
import { type ArchivedFile, type Manifest, manifest, manifestName, maxManifestBytes } from './manifest.ts'

/** The method of almost every file in a zip. */
const deflated = 8
/** Maximum of bytes that are inflated at once: each piece costs a round trip to another thread. */
const pieceBytes = 256 * 1024

/**
 * The content of a file in an archive.
 * @throws while it is read: for an entry with another length than its header says; no more of it is read
 */
async function contentOfEntry(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> {
  if (entry.compressionMethod !== deflated || entry.isEncrypted()) return zip.openReadStreamPromise(entry)
  return inflated(await zip.openReadStreamPromise(entry, { decodeFileData: false }), entry.uncompressedSize)
}

async function* inflated(content: Readable, bytes: number): AsyncGenerator<Buffer, void> {
  const inflate = createInflateRaw({ chunkSize: pieceBytes })
  content.on('error', (error) => inflate.destroy(error)).pipe(inflate)
  let read = 0
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      read += piece.length
      if (read > bytes) break
      yield piece
    }
    if (read !== bytes) throw new Error('a file in it has another length than it says')
  } finally {
    content.destroy()
  }
}

/** Reads only the manifest. @returns undefined for an archive without one @throws {BrokenArchive} */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  let found: Manifest | undefined
  await eachEntry(path, async (entry, open) => {
    if (entry.fileName === manifestName) found = await manifestIn(entry, open)
  })
  return found
}

/** Uses the content of a file. It must be read to its end, because a wrong file is refused there. */
export type TakeFile = (name: string, content: AsyncIterable<Buffer>) => Promise<void>

export const takeNowhere: TakeFile = async (_name, content) => {
  for await (const _ of content);
}

/**
 * Reads a whole archive once, and compares each file with its checksum and, where the archive has one, with the
 * manifest.
 * @returns undefined for an archive without a manifest
 * @throws {BrokenArchive} as `eachEntry`, and for a file that differs from its checksum or the manifest
 * @throws the error of the file system
 */
export async function readArchive(
  path: string,
  take: TakeFile = takeNowhere,
  limits?: ArchiveLimits,
): Promise<Manifest | undefined> {
  let said: Manifest | undefined
  const read = new Map<string, FileDigest>()
  await eachEntry(
    path,
    async (entry, open) => {
      const { fileName } = entry
      if (fileName === manifestName) said = await manifestIn(entry, open)
      else if (!isFolder(fileName))
        await take(
          fileName,
          digested(await open(), entry, (found) => read.set(fileName, found)),
        )
    },
    limits,
  )
  if (said !== undefined) compare(said, read)
  return said
}

/** As `readArchive`; also refuses an archive without a manifest. */
export async function verifyArchive(path: string, take?: TakeFile): Promise<Manifest> {
  const said = await readArchive(path, take)
  if (said === undefined) throw new BrokenArchive(`it has no ${manifestName}`)
  return said
}

type FileDigest = Omit<ArchivedFile, 'path'>

function compare({ save, files }: Manifest, read: Map<string, FileDigest>): void {
  for (const { path, bytes, sha256 } of files) {
    const name = `${save}/${path}`
    const file = read.get(name)
    if (file === undefined) throw new BrokenArchive(`${name} is missing`)
    if (file.bytes !== bytes || file.sha256 !== sha256) throw new BrokenArchive(`${name} has another digest`)
    read.delete(name)
  }
  for (const name of read.keys()) throw new BrokenArchive(`${name} is not in its manifest`)
}

type OpenEntry = () => Promise<AsyncIterable<Buffer>>

/**
 * Visits the files and folders of an archive, one after the other, after all of them have been checked.
 * @throws {BrokenArchive} it is not a zip; a name leaves the folder, has control characters, or is that of another
 * entry; an entry is a link or a device, or has two headers that differ; it is larger than the limits
 * @throws the error of the file system
 */
export async function eachEntry(
  path: string,
  visit: (entry: Entry, open: OpenEntry) => Promise<void>,
  limits: ArchiveLimits = archiveLimits,
): Promise<void> {
  const rules = entryRules(limits)
  let zip: ZipFile | undefined
  try {
    zip = await openPromise(path, { autoClose: false })
    const opened = zip
    // Before each of its entries is read.
    if (opened.entryCount > limits.files) throw new BrokenArchive(tooManyFiles(limits))
    const entries: Entry[] = []
    for await (const entry of opened.eachEntry()) {
      const wrong = rules(entry, await opened.readLocalFileHeaderPromise(entry))
      if (wrong !== undefined) throw new BrokenArchive(wrong)
      entries.push(entry)
    }
    for (const entry of entries) await visit(entry, () => contentOfEntry(opened, entry))
  } catch (error) {
    if (error instanceof BrokenArchive || isOfSystem(error) || isShortage(error)) throw error
    throw new BrokenArchive(error instanceof Error ? error.message : 'it is not a zip')
  } finally {
    zip?.close()
  }
}

/** An error of a folder or of the file system, not of the content; those of zlib have a code that begins with `Z_`. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof NotAFolder || error instanceof NotRegular || /^E[A-Z]+$/.test(errorCode(error) ?? '')

/** No file descriptor or no memory was left, which says nothing about the archive. */
const shortages: ReadonlySet<string | undefined> = new Set([
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_ZLIB_INITIALIZATION_FAILED',
  'Z_MEM_ERROR',
])
export const isShortage = (error: unknown): boolean => shortages.has(errorCode(error))

async function manifestIn(entry: Entry, open: OpenEntry): Promise<Manifest> {
  if (entry.uncompressedSize > maxManifestBytes) throw new BrokenArchive('its manifest is too large')
  const pieces: Buffer[] = []
  for await (const piece of await open()) pieces.push(piece)
  const json = foreignValue(Buffer.concat(pieces))
  if (json === undefined) throw new BrokenArchive('its manifest is not JSON, or has too many values')
  const parsed = checkForeign(manifest, json)
  if (!parsed.success) throw new BrokenArchive(`its manifest is wrong: ${parsed.issues[0].message}`)
  return parsed.output
}

/** Passes the content of a file on, and compares its checksum, which the zip reader does not. */
async function* digested(
  content: AsyncIterable<Buffer>,
  { crc32: expected, fileName }: Entry,
  onEnd: (found: FileDigest) => void,
): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  let bytes = 0
  let sum = 0
  for await (const piece of content) {
    hash.update(piece)
    sum = crc32(piece, sum)
    bytes += piece.length
    yield piece
  }
  if (sum !== expected) throw new BrokenArchive(`${fileName} has another checksum`)
  onEnd({ bytes, sha256: hash.digest('hex') })
}
