import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import { using, writeFully } from '../../../lib/shared-folder/open-file.ts'
import { decrypt } from '../format/decrypt.ts'
import type { Chunk } from '../format/depot-file.ts'
import { unpack } from '../format/unpack.ts'
import { checkFile, type FileToCheck, type FoundFile, readGoodChunk, stackFlag } from '../tree/check-file.ts'
import { type FileToFinish, finishFile } from '../tree/finish-file.ts'
import { type GameDirectory, inGameDirectory, openGameDirectory, type Root } from '../tree/game-directory.ts'

/** A partial file and the offset of a chunk in it. */
interface Target {
  readonly part: string
  readonly offset: number
}

/** The tasks of worker threads: all work that needs much processor time. */
export type Task =
  | { readonly do: 'check'; readonly root: Root; readonly files: readonly FileToCheck[] }
  | {
      readonly do: 'chunk'
      readonly root: Root
      /** A number for each queue of chunks. The download removes no folder while a queue lasts. */
      readonly queue: number
      /** In shared memory. */
      readonly encrypted: Uint8Array
      readonly key: Uint8Array
      readonly sha: string
      readonly size: number
      readonly targets: readonly Target[]
    }
  | {
      /** Copies good chunks of a file to the partial file that will replace it. */
      readonly do: 'copy'
      readonly root: Root
      readonly from: string
      readonly part: string
      readonly chunks: readonly Chunk[]
      readonly loaderFix: boolean
    }
  | {
      readonly do: 'finish'
      readonly root: Root
      readonly queue: number
      readonly files: readonly FileToFinish[]
    }

/** The result of each task. */
export interface Answers {
  readonly check: readonly FoundFile[]
  /** `false` when the bytes are not the chunk. */
  readonly chunk: boolean
  /** One boolean per chunk: `false` when it has changed since the check. */
  readonly copy: readonly boolean[]
  /** Always `true`: the files are in their places. */
  readonly finish: true
}

/** Runs a task. Only `finish` returns a promise, because it waits for the disk. */
export function work(task: Task): Answers[Task['do']] | Promise<Answers['finish']> {
  switch (task.do) {
    case 'check':
      return inGameDirectory(task.root, (directory) => task.files.map((file) => checkFile(directory, file)))
    case 'chunk':
      return writeChunk(view(task.encrypted), keyOf(task.key), task)
    case 'copy':
      return inGameDirectory(task.root, (directory) => copyChunks(directory, task))
    case 'finish':
      return finishFiles(task)
  }
}

async function finishFiles(task: Extract<Task, { do: 'finish' }>): Promise<true> {
  const used = openedFor(task)
  used.users += 1
  const ended = await Promise.allSettled(task.files.map((file) => finishFile(used.directory, file)))
  closeUnused(used)
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return true
}

/** @returns a Buffer over the same memory: `postMessage` turns a Buffer into a Uint8Array */
function view({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

let last: { readonly bytes: Buffer; readonly key: KeyObject } | undefined

/** @returns the KeyObject of a depot key. The last one is kept, because all chunks of a depot have the same key. */
function keyOf(bytes: Uint8Array): KeyObject {
  if (last === undefined || !last.bytes.equals(bytes)) {
    last = { bytes: Buffer.from(bytes), key: createSecretKey(bytes) }
  }
  return last.key
}

/** The directory of a queue. `users` counts the tasks that wait for the disk, and one while it is the last queue. */
interface OpenedDirectory {
  readonly queue: number
  readonly directory: GameDirectory
  users: number
}

let opened: OpenedDirectory | undefined

/**
 * @returns the directory for a task of a queue. It stays open for the next ones, because opening its folders for each
 * of many small files takes longer than writing them.
 */
function openedFor({ root, queue }: Extract<Task, { readonly queue: number }>): OpenedDirectory {
  if (opened?.queue === queue) return opened
  const before = opened
  opened = { queue, directory: openGameDirectory(root), users: 1 }
  if (before !== undefined) closeUnused(before)
  return opened
}

function closeUnused(used: OpenedDirectory): void {
  used.users -= 1
  if (used.users === 0) used.directory.close()
}

/** Decrypts, unpacks, checks and writes a chunk. @returns `false` when one of the first three fails */
function writeChunk(encrypted: Buffer, key: KeyObject, task: Extract<Task, { do: 'chunk' }>): boolean {
  let container: Buffer | undefined
  let plain: Buffer | undefined
  try {
    try {
      container = decrypt(encrypted, key)
      plain = unpack(container, task.size)
    } catch {
      return false
    }
    if (plain.length !== task.size || hash('sha1', plain) !== task.sha) return false
    const bytes = plain
    const { directory } = openedFor(task)
    for (const { part, offset } of task.targets)
      using(directory.openFile(part, 'create'), (file) => writeFully(file, bytes, offset))
    return true
  } finally {
    if (plain !== undefined) release(plain)
    if (container !== undefined) release(container)
  }
}

function copyChunks(directory: GameDirectory, task: Extract<Task, { do: 'copy' }>): boolean[] {
  return using(directory.openFile(task.from, 'read'), (from) =>
    using(directory.openFile(task.part, 'create'), (to) => {
      const flag = task.loaderFix ? stackFlag(from)?.offset : undefined
      return task.chunks.map((chunk) => {
        const bytes = readGoodChunk(from, chunk, flag)
        if (bytes === undefined) return false
        writeFully(to, bytes, chunk.offset)
        return true
      })
    }),
  )
}

/**
 * Frees the memory of a buffer at once. Otherwise hundreds of megabytes wait for the garbage collector, and collecting
 * them blocks the thread. Only for buffers that no other code references.
 */
function release(bytes: Buffer): void {
  const { buffer, byteOffset, length } = bytes
  // Small buffers are parts of a pool that Node shares.
  const pooled = byteOffset !== 0 || length < Buffer.poolSize >>> 1
  if (pooled || !(buffer instanceof ArrayBuffer) || buffer.detached) return
  try {
    buffer.transfer(0)
  } catch {
    // Memory of native code cannot always be transferred. The garbage collector frees it later.
  }
}
