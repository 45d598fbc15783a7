import { spawnSync } from 'node:child_process'
import { childEnvironment } from './child-environment.ts'
import { errorCode } from './error-code.ts'

/** Exit code that `flock` returns when another process holds the lock. */
const held = 75

/**
 * Locks an open file, also across containers that share its volume. The program `flock` locks the file that it
 * inherits (flock(2)). The lock belongs to the open file, so it stays when `flock` has ended, and the kernel releases
 * it when this process ends in any way.
 *
 * SQLite can lock a file too, but would follow a link at the path of its file, and obey a journal that another program
 * has put next to it, which may name files to delete.
 * @param descriptor of the file; closing it releases the lock
 * @returns `unsupported` on a system without `flock` (macOS, Windows)
 * @throws the error of starting `flock`, or one with its exit code, where this file system cannot lock
 */
export function lockFile(descriptor: number): 'locked' | 'held' | 'unsupported' {
  const { status, error } = spawnSync('flock', ['-x', '-n', '-E', String(held), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    env: childEnvironment(process.env),
  })
  if (status === 0) return 'locked'
  if (status === held) return 'held'
  if (errorCode(error) === 'ENOENT') return 'unsupported'
  throw error ?? new Error(`flock has ended with ${status}`)
}
