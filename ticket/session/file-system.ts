import * as real from 'node:fs/promises'

/** What the session file needs of a file system; a parameter, so that a full or failing disk can be put under it. */
export type FileSystem = Pick<
  typeof real,
  'open' | 'rename' | 'unlink' | 'readFile' | 'stat' | 'readdir' | 'mkdir' | 'chmod'
>

/** The disk. */
export const disk: FileSystem = real
