import { closeSync, readSync, writeSync } from 'node:fs'

/** Runs an action on an open file or folder, and closes it. */
export function using<Result>(descriptor: number, action: (descriptor: number) => Result): Result {
  try {
    return action(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Fills a buffer from an open file. @returns the number of bytes, fewer at the end of the file */
export function readFully(descriptor: number, into: Buffer, position: number): number {
  let at = 0
  while (at < into.length) {
    const count = readSync(descriptor, into, at, into.length - at, position + at)
    if (count === 0) break
    at += count
  }
  return at
}

/** Writes all bytes of a buffer to an open file. */
export function writeFully(descriptor: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; )
    at += writeSync(descriptor, bytes, at, bytes.length - at, position + at)
}
