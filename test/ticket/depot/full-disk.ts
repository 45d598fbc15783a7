import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Loaded into a process and each of its threads: after `ROOM` bytes writes fail as on a full disk. */
let room = Number(process.env.ROOM ?? Number.POSITIVE_INFINITY)
const write = fs.writeSync

function writeSync(
  descriptor: number,
  bytes: NodeJS.ArrayBufferView,
  at: number,
  length: number,
  position: number,
): number {
  if (length > 10_000) room -= length
  if (room >= 0) return write(descriptor, bytes, at, length, position)
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    errno: -28,
    syscall: 'write',
  })
}

Object.assign(fs, { writeSync })
syncBuiltinESMExports()
