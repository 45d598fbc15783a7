/** Unpacks an archive that anybody may have made. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BrokenArchive, type TakeFile, takeNowhere } from './read-archive.ts'

/**
 * Writes the files of an archive below a folder. Names that begin with a dot are left out.
 * @returns a function for `readArchive`; it throws {BrokenArchive} for a name that is also a folder or is too long, and
 *   the error of the file system, such as a full disk
 */
export const unpackTo =
  (folder: string): TakeFile =>
  async (name, content) => {
    if (isHidden(name)) return takeNowhere(name, content)
    const target = join(folder, name)
    try {
      await mkdir(dirname(target), { recursive: true })
      await pipeline(content, createWriteStream(target, { flags: 'wx' }))
    } catch (error) {
      throw isOfNames(error) ? new BrokenArchive(`${name} cannot be a file beside the others`) : error
    }
  }

const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')

/** Whether an error comes from a name that is also a folder, or is too long. */
const isOfNames = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(EEXIST|ENOTDIR|EISDIR|ENAMETOOLONG)$/.test(String(error.code))
