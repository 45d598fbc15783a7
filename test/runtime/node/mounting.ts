/** Real mounts, in a namespace of the program that is to see them. */
import { spawnSync } from 'node:child_process'

/** Lines of a shell that mount at `$0`. */
export const readOnly = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"'

/** The command of a program that sees a mount. @param lines of a shell @param path their `$0` */
export const mounting = (lines: string, path: string, ...program: readonly string[]) =>
  [
    'unshare',
    '--map-root-user',
    '--mount',
    '/bin/sh',
    '-c',
    `${lines} && exec "$@"`,
    path,
    ...program,
  ] as const

const [unshare, ...rest] = mounting(readOnly, '/tmp', 'true')

/** Why this user cannot mount, or undefined. */
export const mountProblem =
  spawnSync(unshare, rest).status === 0 ? undefined : 'this user cannot mount in a namespace (unshare)'
