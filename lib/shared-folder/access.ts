/**
 * The common parts of every access to a shared folder. A folder is shared when another program, which may be hostile,
 * can write in it at any time: it may put a link, a FIFO or another file in any place, also between two calls.
 */
import { constants, existsSync } from 'node:fs'
import { errorCode } from '../error-code.ts'

/**
 * Linux has a link here for each open file of the process. It leads to that file, even if its path now means another.
 */
export const descriptors = '/proc/self/fd'
export const canPin = existsSync(descriptors)

export const asFolder = constants.O_RDONLY | constants.O_DIRECTORY
/** For a folder below a shared one: never through a link. */
export const asFolderBelow = asFolder | constants.O_NOFOLLOW

const safely = constants.O_NOFOLLOW | constants.O_NONBLOCK
/**
 * Flags of `open` for a file: to `read`, to `write` into one that has no other name, to `create` such a file when
 * there is none; `new` creates it and fails when anything is there. None follows a link or waits for another program.
 */
export const fileFlags = {
  read: constants.O_RDONLY | safely,
  write: constants.O_RDWR | safely,
  create: constants.O_RDWR | constants.O_CREAT | safely,
  new: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | safely,
} as const
export type FileAccess = keyof typeof fileFlags

/** A folder is required, but a link or a file is there. */
export class NotAFolder extends Error {
  override readonly name = 'NotAFolder'
  /** Below the shared folder. */
  readonly path: string
  constructor(path: string) {
    super(`${JSON.stringify(path)} is a link or a file where a folder must be`)
    this.path = path
  }
}

/** A regular file is required, but something else is there; the message completes "… is". */
export class NotRegular extends Error {
  override readonly name = 'NotRegular'
}

/**
 * @param folder the name of the shared folder, such as `Saves`
 * @returns for an answer, what is in the wrong place there; undefined for another error
 */
export function wrongEntry(error: unknown, folder: string): string | undefined {
  if (error instanceof NotAFolder) return `in ${folder}, ${error.message}`
  return error instanceof NotRegular ? `something in ${folder} is ${error.message}` : undefined
}

/** Error codes of `open` for a link, a socket or FIFO, and a folder. */
const notRegular: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO', 'EISDIR'])

/** @returns the error of `open` of a file, by what is there */
export const openError = (error: unknown): unknown =>
  notRegular.has(errorCode(error)) ? new NotRegular('not a regular file', { cause: error }) : error

/** @returns what is wrong with an open file; undefined when it may be used so */
export function fileProblem(
  found: { isFile(): boolean; readonly nlink: number | bigint },
  access: FileAccess,
): NotRegular | undefined {
  if (!found.isFile()) return new NotRegular('not a regular file')
  return access === 'read' || found.nlink <= 1
    ? undefined
    : new NotRegular('a file with a second name (hard link)')
}

/** @returns the error of `open` of a folder, by what is there @param path for the message */
export function folderError(error: unknown, path: string): unknown {
  const code = errorCode(error)
  return code === 'ENOTDIR' || code === 'ELOOP' ? new NotAFolder(path) : error
}

/** Whether an error means that a path does not exist, or that a link or a file is in place of a folder above it. */
export const isMissing = (error: unknown): boolean =>
  error instanceof NotAFolder || errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR'

/** For `catch`: undefined in place of what is missing. @throws any other error */
export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

/** @returns the folder above a path, and its last name */
export function split(path: string): [folder: string, name: string] {
  const cut = path.lastIndexOf('/')
  const name = path.slice(cut + 1)
  if (name === '' || name === '.' || name === '..')
    throw new Error(`no path below a folder: ${JSON.stringify(path.slice(0, 120))}`)
  return [path.slice(0, Math.max(cut, 0)), name]
}
