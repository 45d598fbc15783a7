/** The entries that an archive from an untrusted source may have. */
import type { Entry, LocalFileHeader } from 'yauzl'

/**
 * Maximum of files and folders, and of bytes of all files together, unpacked. The save of a farm of many years has a few
 * files with less than 100 MB together; an archive of SMAPI has all farms.
 */
export const archiveLimits: ArchiveLimits = { files: 10_000, bytes: 2 * 1024 ** 3 }

export interface ArchiveLimits {
  readonly files: number
  readonly bytes: number
}

export const tooManyFiles = ({ files }: ArchiveLimits): string => `it has more than ${files} files`

/**
 * Maximum of folders within each other, of bytes of one name, and of bytes of the directory of a zip: names and what
 * else it says of each file are in memory at once.
 */
const most = { depth: 64, name: 4096, directory: 16 * 1024 ** 2 } as const

/**
 * The rules of one archive. The zip reader refuses paths that leave the folder.
 * @returns takes one entry after the other, each with the header before its content, and returns what is wrong, if
 * anything
 */
export function entryRules(limits: ArchiveLimits) {
  let { files: filesLeft, bytes: bytesLeft } = limits
  let directoryLeft: number = most.directory
  const names = nameRules(limits.files)
  return (entry: Entry, local: LocalFileHeader): string | undefined => {
    const { fileName, uncompressedSize } = entry
    directoryLeft -= entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    if (directoryLeft < 0) return `the list of its files has more than ${most.directory} bytes`
    if (entry.fileNameLength > most.name) return `a name in it has more than ${most.name} bytes`
    if (/\p{Cc}/u.test(fileName)) return 'a name in it has control characters'
    if (isSpecial(entry)) return `${fileName} is a link or a device`
    if (!isSame(entry, local)) return `${fileName} has two headers that differ`
    filesLeft -= 1
    bytesLeft -= uncompressedSize
    if (filesLeft < 0) return tooManyFiles(limits)
    if (bytesLeft < 0) return `it unpacks to more than ${limits.bytes} bytes`
    return names(fileName)
  }
}

/**
 * Which files of a save an archive can hold, so that one stray file does not stop every backup. Not: a second one
 * whose name differs only in case or form, one whose name is not text or has control characters or a backslash, and
 * more than its manifest can name.
 * @param save the name of its folder @param files in the order in which they are taken
 */
export function heldByArchive<File extends { readonly path: string; readonly size: number }>(
  save: string,
  files: readonly File[],
): { readonly held: File[]; readonly leftOut: string[] } {
  const wrongName = nameRules(archiveLimits.files)
  const held: File[] = []
  const leftOut: string[] = []
  let pathsLeft = mostOfPaths
  let bytesLeft = archiveLimits.bytes
  for (const file of files) {
    const { path, size } = file
    const bytes = Buffer.byteLength(JSON.stringify(path))
    // One less than the limit, because the manifest is a file too.
    const isHeld =
      held.length < archiveLimits.files - 1 &&
      bytes <= pathsLeft &&
      size <= bytesLeft &&
      !/[\p{Cc}\\\uFFFD]/u.test(path) &&
      wrongName(`${save}/${path}`) === undefined
    if (isHeld) {
      held.push(file)
      pathsLeft -= bytes
      bytesLeft -= size
    } else leftOut.push(path)
  }
  return { held, leftOut }
}

/**
 * Bytes of all paths in a manifest, as JSON: with digests and sizes the manifest stays far below `maxManifestBytes`.
 */
const mostOfPaths = 4 * 1024 ** 2

export const isFolder = (name: string): boolean => name.endsWith('/')

/**
 * Refuses names that are the same file on some file systems, where one would replace the other, or a file and a folder,
 * and more folders than the names of real archives have.
 */
function nameRules(mostFolders: number) {
  const files = new Set<string>()
  const folders = new Set<string>()
  /** Each path as first written, by its case-insensitive form. */
  const spellings = new Map<string, string>()
  return (fileName: string): string | undefined => {
    const parts = fileName.split('/').filter((part) => part !== '')
    if (parts.length > most.depth) return `it has more than ${most.depth} folders within each other`
    for (const [at] of parts.entries()) {
      const path = parts.slice(0, at + 1).join('/')
      const folded = path.normalize('NFC').toLowerCase()
      const other = spellings.get(folded) ?? path
      if (other !== path) return `${other} and ${path} are one name where case does not count`
      spellings.set(folded, path)
      const isFile = at === parts.length - 1 && !isFolder(fileName)
      if ((isFile ? folders : files).has(path)) return `${path} is a file and a folder in it`
      if (isFile && files.has(path)) return `${path} is in it twice`
      if (isFile) files.add(path)
      else folders.add(path)
      if (folders.size > mostFolders) return `it has more than ${mostFolders} folders`
    }
    return undefined
  }
}

/** The type of a file in the upper half of its attributes, as Unix has it; 0 where the archive is of another system. */
const typeMask = 0o170000
const [none, regular, folder] = [0, 0o100000, 0o040000]

function isSpecial({ externalFileAttributes }: Entry): boolean {
  const type = (externalFileAttributes >>> 16) & typeMask
  return type !== none && type !== regular && type !== folder
}

/** Bit of the flags: checksum and sizes follow the content, and are 0 in the header before it. */
const sizesFollow = 0x8
/** Value of a size that does not fit into 32 bits and is in another field. */
const large = 0xffffffff

/**
 * Whether both headers of an entry are equal: programs that read one of them would unpack something else than those
 * that read the other.
 */
function isSame(entry: Entry, local: LocalFileHeader): boolean {
  if (!local.fileName.equals(entry.fileNameRaw) || local.compressionMethod !== entry.compressionMethod)
    return false
  if ((local.generalPurposeBitFlag & sizesFollow) !== 0) return true
  const isSize = (said: number, size: number) => said === size || said === large
  return (
    local.crc32 === entry.crc32 &&
    isSize(local.compressedSize, entry.compressedSize) &&
    isSize(local.uncompressedSize, entry.uncompressedSize)
  )
}
