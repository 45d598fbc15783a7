import type { DepotFile } from '../format/depot-file.ts'

/**
 * The two libraries that require an executable stack, which glibc 2.41 and later refuse to load. The flag is cleared
 * on disk; nothing else about them changes.
 */
const galaxyLibraries = /(^|\/)(libGalaxy64|libGalaxyCSharpGlue)\.so$/

const gnuStackHeader = 0x6474e551
const executeFlag = 1

/** @returns whether a file is one of the two libraries */
export function needsLoaderFix(file: DepotFile): boolean {
  return file.kind === 'file' && galaxyLibraries.test(file.path)
}

/**
 * Finds the byte that holds the executable-stack flag of a 64-bit little-endian ELF file.
 * @param head the file's first bytes, up to its program headers (4 KiB are enough)
 * @returns its offset, or `undefined` for any other file
 */
export function stackFlagOffset(head: Buffer): number | undefined {
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1)
    return undefined
  const start = Number(head.readBigUInt64LE(0x20))
  const size = head.readUInt16LE(0x36)
  const count = head.readUInt16LE(0x38)
  for (let index = 0; index < count; index++) {
    const entry = start + index * size
    if (entry + 8 > head.length) return undefined
    if (head.readUInt32LE(entry) === gnuStackHeader) return entry + 4
  }
  return undefined
}

/** @returns the byte with the executable-stack flag cleared */
export function withoutExecute(flags: number): number {
  return flags & ~executeFlag
}

/** @returns the byte with the executable-stack flag set, as in the depot */
export function withExecute(flags: number): number {
  return flags | executeFlag
}
