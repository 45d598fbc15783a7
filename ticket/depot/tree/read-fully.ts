import { readSync } from 'node:fs'

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
