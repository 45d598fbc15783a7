/**
 * A log in a file that a game writes: its last lines, and every new one, over rotation and truncation. The game may be
 * hostile and put something else in the file's place: a link or a FIFO is not read.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { FarmError } from '../../handlers/farm-error.ts'
import type { LogLine } from '../../handlers/host-record.ts'
import { type Clock, recurring } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { fileFlags, fileProblem, NotRegular, openError } from '../../lib/shared-folder/access.ts'
import { lastLines, lineSplitter } from './lines.ts'

/** Milliseconds between two checks of the file: network file systems do not report changes. */
const lookEvery = 500
/** Bytes of one read. */
const piece = 64 * 1024
/** Bytes at the end of the file that are searched for the last lines. */
const tail = 1024 * 1024
/** Bytes by which a follower may lag; beyond them it continues near the end of the file. */
const longestLag = 64 * 1024 * 1024

export function fileLog(path: string, clock: Clock) {
  const following = new Set<() => void>()
  return {
    /** @throws {FarmError} host_unavailable */
    async last(lines: number): Promise<LogLine[]> {
      let file: FileHandle | undefined
      try {
        file = await openFile(path)
        const { size } = await file.stat()
        const from = Math.max(0, size - tail)
        const found = lastLines<LogLine>(lines)
        // The first line of a piece may have begun before it.
        let isPart = from > 0
        const splitter = lineSplitter((text) => {
          if (!isPart) found.add({ text })
          isPart = false
        })
        await readFrom(file, from, splitter.push, size)
        splitter.end()
        return found.all()
      } catch (error) {
        throw new FarmError({
          kind: 'host_unavailable',
          sentence: `The file in GAME_LOG cannot be read (${causeOf(error)})`,
        })
      } finally {
        await file?.close()
      }
    },
    /** @returns a function that ends it */
    follow(heard: (line: LogLine) => void): () => void {
      const end = followFile(path, clock, heard)
      following.add(end)
      return () => {
        following.delete(end)
        end()
      }
    },
    close() {
      for (const end of following) end()
      following.clear()
    },
  }
}

/** @throws {NotRegular} for a link, a FIFO or a folder */
async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, fileFlags.read).catch((error: unknown) => {
    throw openError(error)
  })
  const problem = fileProblem(await file.stat(), 'read')
  if (problem === undefined) return file
  await file.close()
  throw problem
}

const causeOf = (error: unknown) =>
  error instanceof NotRegular ? error.message : (errorCode(error) ?? 'unknown cause')

/** @returns where it has ended: the end of the file, or `until` */
async function readFrom(
  file: FileHandle,
  from: number,
  push: (bytes: Uint8Array) => void,
  until = Number.POSITIVE_INFINITY,
): Promise<number> {
  const buffer = new Uint8Array(piece)
  for (let at = from; ; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(piece, until - at), at)
    if (bytesRead === 0) return at
    push(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

function followFile(path: string, clock: Clock, heard: (line: LogLine) => void): () => void {
  let isOver = false
  const splitter = lineSplitter((text) => {
    if (!isOver) heard({ text })
  })
  let file: FileHandle | undefined
  let at = 0
  /** The first file is read from its end; its replacement from the beginning. */
  let isFirst = true
  /** Up to the size that it has now: a game may write faster than this reads, or make the file huge. */
  const readNew = async (from: FileHandle) => {
    const { size } = await from.stat()
    const isEmptied = size < at
    if (isEmptied || size - at > longestLag) {
      splitter.end()
      at = isEmptied ? 0 : size - tail
    }
    at = await readFrom(from, at, splitter.push, size)
  }
  const reopen = async () => {
    const next = await openFile(path).catch(() => undefined)
    if (next === undefined) {
      isFirst = false
      return
    }
    const [now, before] = [await next.stat(), await file?.stat()]
    if (before !== undefined && before.ino === now.ino && before.dev === now.dev) {
      await next.close()
      return
    }
    if (file !== undefined) {
      await readNew(file)
      splitter.end()
      await file.close()
    }
    file = next
    at = isFirst ? now.size : 0
    isFirst = false
  }
  const look = async () => {
    await reopen()
    if (file === undefined) return
    await readNew(file)
  }
  const inTurn = oneAtATime()
  const lookAgain = () => {
    // An unreadable file is tried again.
    if (inTurn.isFree) void inTurn.run(look).catch(() => undefined)
  }
  const looks = recurring(clock.after, () => lookEvery, lookAgain)
  lookAgain()
  looks.start()
  return () => {
    isOver = true
    looks.stop()
    void inTurn.run(async () => file?.close()).catch(() => undefined)
  }
}
