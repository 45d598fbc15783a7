import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import type { Chunk, DepotFile } from '../format/manifest.ts'
import { stackFlagOffset, withExecute } from './loader-fix.ts'

/** One file to check: its place and its expected content. */
export interface FileToCheck {
  /** Absolute path. */
  readonly at: string
  /** Absolute path of its partial file, which an earlier run may have left. */
  readonly part: string
  readonly file: Pick<DepotFile, 'kind' | 'size' | 'executable' | 'target' | 'chunks'>
  /** Accept, and report, a cleared executable-stack flag. */
  readonly loaderFix: boolean
}

/** What is on disk at the path of a file. */
export type FileState =
  | { readonly is: 'missing' }
  /** Another kind of entry is there, such as a folder in place of a file, or a link with another target. */
  | { readonly is: 'other'; readonly kind: 'file' | 'directory' | 'link' | 'special' }
  /** All bytes are right. `modeWrong`: the executable bit is missing. `fixMissing`: the loader fix is missing. */
  | { readonly is: 'good'; readonly modeWrong: boolean; readonly fixMissing: boolean }
  /** A regular file that differs. `good`: one boolean per chunk of the manifest. */
  | { readonly is: 'different'; readonly size: number; readonly good: readonly boolean[] }

/** State of a file, and which chunks its partial file has (`undefined`: no partial file, or the file is good). */
export interface FoundFile {
  readonly state: FileState
  readonly inPart: readonly boolean[] | undefined
}

/** Compares one file with the manifest, chunk by chunk, by SHA-1. Changes nothing. */
export function checkFile({ at, part, file, loaderFix }: FileToCheck): FoundFile {
  const state = stateOf(at, file, loaderFix)
  if (file.kind !== 'file' || state.is === 'good') return { state, inPart: undefined }
  const partial = stateOf(part, file, loaderFix)
  if (partial.is === 'good') return { state, inPart: file.chunks.map(() => true) }
  return { state, inPart: partial.is === 'different' ? partial.good : undefined }
}

function stateOf(at: string, file: FileToCheck['file'], loaderFix: boolean): FileState {
  const stat = statusOf(at)
  if (stat === undefined) return { is: 'missing' }
  const kind = stat.isFile()
    ? 'file'
    : stat.isDirectory()
      ? 'directory'
      : stat.isSymbolicLink()
        ? 'link'
        : 'special'
  if (kind !== file.kind) return { is: 'other', kind }
  if (kind === 'link' && readlinkSync(at) !== file.target) return { is: 'other', kind }
  if (kind !== 'file') return { is: 'good', modeWrong: false, fixMissing: false }
  const descriptor = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size, mode } = fstatSync(descriptor)
    const flag = loaderFix ? stackFlag(descriptor) : undefined
    const good = file.chunks.map((chunk) => readGoodChunk(descriptor, chunk, flag?.offset) !== undefined)
    if (size !== file.size || good.includes(false)) return { is: 'different', size, good }
    return {
      is: 'good',
      modeWrong: file.executable && (mode & 0o111) === 0,
      fixMissing: flag !== undefined && withExecute(flag.value) === flag.value,
    }
  } finally {
    closeSync(descriptor)
  }
}

function statusOf(at: string): Stats | undefined {
  try {
    return lstatSync(at, { throwIfNoEntry: false })
  } catch (error) {
    // ENOTDIR: a parent folder of this path is a file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
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

function readFully(descriptor: number, into: Buffer, position: number): number {
  let at = 0
  while (at < into.length) {
    const count = readSync(descriptor, into, at, into.length - at, position + at)
    if (count === 0) break
    at += count
  }
  return at
}
