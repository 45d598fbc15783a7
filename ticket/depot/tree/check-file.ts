import { hash } from 'node:crypto'
import { fstatSync, type Stats } from 'node:fs'
import { errorCode } from '../../../lib/error-code.ts'
import { readFully, using } from '../../../lib/shared-folder/open-file.ts'
import { DownloadError } from '../../errors.ts'
import type { Chunk, DepotFile } from '../format/depot-file.ts'
import type { GameDirectory } from './game-directory.ts'
import { stackFlagOffset, withExecute } from './loader-fix.ts'

/** One file to check: its place and its expected content. */
export interface FileToCheck {
  readonly at: string
  /** Its partial file, which an earlier run may have left. */
  readonly part: string
  readonly file: Pick<DepotFile, 'kind' | 'size' | 'executable' | 'target' | 'chunks'>
  /** Accept, and report, a cleared executable-stack flag. */
  readonly loaderFix: boolean
}

/** The entry on disk at the path of a file. */
export type FileState =
  | { readonly is: 'missing' }
  /** Another kind of entry, such as a folder in place of a file, or a link with another target. */
  | { readonly is: 'other'; readonly kind: 'file' | 'directory' | 'link' | 'special' }
  /** All bytes are right. `modeWrong`: an executable bit is missing. `fixMissing`: the loader fix is missing. */
  | { readonly is: 'good'; readonly modeWrong: boolean; readonly fixMissing: boolean }
  /** A regular file that differs. `good`: one boolean per chunk of the manifest. */
  | { readonly is: 'different'; readonly size: number; readonly good: readonly boolean[] }

/** State of a file, and which chunks its partial file has (`undefined`: no partial file, or the file is good). */
export interface FoundFile {
  readonly state: FileState
  readonly inPart: readonly boolean[] | undefined
}

/** Compares one file with the manifest, chunk by chunk, by SHA-1. Changes nothing. */
export function checkFile(directory: GameDirectory, { at, part, file, loaderFix }: FileToCheck): FoundFile {
  const state = stateOf(directory, at, file, loaderFix, 'read')
  if (file.kind !== 'file' || state.is === 'good') return { state, inPart: undefined }
  // A partial file that cannot be written is not continued.
  const partial = stateOf(directory, part, file, loaderFix, 'write')
  if (partial.is === 'good') return { state, inPart: file.chunks.map(() => true) }
  return { state, inPart: partial.is === 'different' ? partial.good : undefined }
}

function stateOf(
  directory: GameDirectory,
  at: string,
  file: FileToCheck['file'],
  loaderFix: boolean,
  access: 'read' | 'write',
): FileState {
  const found = directory.status(at)
  if (found === undefined) return { is: 'missing' }
  const kind = kindOf(found)
  if (kind !== file.kind) return { is: 'other', kind }
  if (kind === 'link' && directory.linkTarget(at) !== file.target) return { is: 'other', kind }
  if (kind !== 'file') return { is: 'good', modeWrong: false, fixMissing: false }
  const descriptor = openIfAllowed(directory, at, access)
  if (descriptor === undefined) {
    return { is: 'different', size: found.size, good: file.chunks.map(() => false) }
  }
  return using(descriptor, () => {
    const { size, mode, nlink } = fstatSync(descriptor)
    const flag = loaderFix ? stackFlag(descriptor) : undefined
    const good = file.chunks.map((chunk) => readGoodChunk(descriptor, chunk, flag?.offset) !== undefined)
    const modeWrong = file.executable && (mode & 0o111) !== 0o111
    // The mode of a file with a second name (hard link) is not changed; its content is copied to a new file.
    const copied = modeWrong && nlink > 1
    if (size !== file.size || good.includes(false) || copied) return { is: 'different', size, good }
    return {
      is: 'good',
      modeWrong,
      fixMissing: flag !== undefined && withExecute(flag.value) === flag.value,
    }
  })
}

function kindOf(found: Stats): 'file' | 'directory' | 'link' | 'special' {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'directory'
  return found.isSymbolicLink() ? 'link' : 'special'
}

/**
 * @returns `undefined` for a file without permission, and for a file that another program has changed since `status`
 */
function openIfAllowed(directory: GameDirectory, at: string, access: 'read' | 'write'): number | undefined {
  try {
    return directory.openFile(at, access)
  } catch (error) {
    const kind = error instanceof DownloadError ? error.kind : undefined
    const isMissing = error instanceof DownloadError && errorCode(error.cause) === 'ENOENT'
    if (kind === 'conflict' || kind === 'permission' || isMissing) return undefined
    throw error
  }
}

let scratch = Buffer.alloc(0)

/**
 * Reads one chunk from an open file and checks it.
 * @param flagOffset offset in the file of an executable-stack flag that may be cleared; the returned bytes have it set
 * @returns the bytes as in the depot, valid until the next call; `undefined` when they differ
 */
export function readGoodChunk(descriptor: number, chunk: Chunk, flagOffset?: number): Buffer | undefined {
  if (scratch.length < chunk.size) scratch = Buffer.allocUnsafeSlow(Math.max(chunk.size, 2 ** 20))
  const bytes = scratch.subarray(0, chunk.size)
  if (readFully(descriptor, bytes, chunk.offset) < chunk.size) return undefined
  if (hash('sha1', bytes) === chunk.sha) return bytes
  const flag = flagOffset === undefined ? -1 : flagOffset - chunk.offset
  const value = bytes[flag]
  if (value === undefined) return undefined
  bytes[flag] = withExecute(value)
  return hash('sha1', bytes) === chunk.sha ? bytes : undefined
}

/** Offset and value of the executable-stack flag of an open library; `undefined` for any other file. */
export function stackFlag(descriptor: number): { offset: number; value: number } | undefined {
  const head = Buffer.alloc(4096)
  const offset = stackFlagOffset(head.subarray(0, readFully(descriptor, head, 0)))
  const value = offset === undefined ? undefined : head[offset]
  return offset === undefined || value === undefined ? undefined : { offset, value }
}
