/** Open folders and files for processes with an event loop, and the time limit of a look at them. */
import type { Dir } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { withTimeLimit } from '../time-limit.ts'
import { asFolder, asFolderBelow, canPin, descriptors, folderError, NotAFolder } from './access.ts'

/** An open folder. */
export interface Place extends AsyncDisposable {
  /** Its address for calls of `node:fs`. */
  address(): Promise<string>
  readonly handle: FileHandle | undefined
}

/** Opens a folder that the operator has chosen: links in its path are followed. @throws the error of the file system */
export const topPlace = async (path: string, limit: number): Promise<Place> =>
  canPin ? pinned(path, asFolder, limit) : checked(await realpath(path))

/**
 * Opens a folder in an open one. @param path its address
 * @throws {NotAFolder} @throws the error of the file system
 */
export async function placeBelow(above: Place, path: string | Buffer, limit: number): Promise<Place> {
  if (!canPin) return checked(String(path), above)
  return pinned(path, asFolderBelow, limit).catch((error: unknown) => {
    throw folderError(error, String(path).split('/').at(-1) ?? '')
  })
}

async function pinned(path: string | Buffer, flags: number, limit: number): Promise<Place> {
  const handle = await opened(open(path, flags), limit)
  return {
    handle,
    address: async () => `${descriptors}/${handle.fd}`,
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/**
 * For systems without `/proc` (macOS, Windows). Every folder is checked before each use; another program can still put a
 * link in its place between the check and the use.
 */
function checked(path: string, above?: Place): Place {
  return {
    handle: undefined,
    async address() {
      await above?.address()
      if (!(await lstat(path)).isDirectory()) throw new NotAFolder(path)
      return path
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** @throws `ETIMEDOUT` */
export const looked = <Answer>(limit: number, look: Promise<Answer>): Promise<Answer> =>
  withTimeLimit(limit, look, () =>
    Object.assign(new Error(`ETIMEDOUT: no answer of the disk within ${limit} ms`), { code: 'ETIMEDOUT' }),
  )

/** What opens after the limit is closed again. */
export async function opened<Open extends FileHandle | Dir>(
  opening: Promise<Open>,
  limit: number,
): Promise<Open> {
  try {
    return await looked(limit, opening)
  } catch (error) {
    void opening.then(
      (late) => late.close(),
      () => undefined,
    )
    throw error
  }
}
