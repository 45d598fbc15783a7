/** Unpacks an archive from an untrusted source. */

import { errorCode } from '../../lib/error-code.ts'
import { NotRegular, split } from '../../lib/shared-folder/access.ts'
import { type SharedFolder, writeAll } from '../../lib/shared-folder/shared-folder.ts'
import { BrokenArchive } from './broken-archive.ts'
import { infoFile } from './manifest.ts'
import { type TakeFile, takeNowhere } from './read-archive.ts'

/**
 * Writes the files of an archive below a folder. Names that begin with a dot are omitted.
 * @returns a function for `readArchive`; it throws {BrokenArchive} for a name that is too long, {NotAFolder} and
 * {NotRegular} for what another program has put in, and the error of the file system, such as a full disk
 */
export const unpackTo =
  (folder: SharedFolder): TakeFile =>
  async (name, content) => {
    if (isHidden(name)) return takeNowhere(name, content)
    try {
      await place(
        folder,
        name,
        name.endsWith(`/${infoFile}`) || name === infoFile ? ofFarmer(name, content) : content,
      )
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENAMETOOLONG') throw new BrokenArchive(`the name ${name} is too long`)
      // An archive with a name twice is refused before anything of it is unpacked.
      throw code === 'EEXIST' ? new NotRegular(`in the place of ${JSON.stringify(name)}`) : error
    }
  }

/** Bytes of a `SaveGameInfo`: it is a farmer, of some hundred kilobytes. */
const mostOfFarmer = 64 * 1024 ** 2

/** @throws {BrokenArchive} before the disk is filled with what cannot be a farmer */
async function* ofFarmer(name: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let bytes = 0
  for await (const piece of content) {
    bytes += piece.length
    if (bytes > mostOfFarmer)
      throw new BrokenArchive(`${name} has more than 64 MB, so it is not a farmer of the game`)
    yield piece
  }
}

/** Writes a new file, and the folders above it. @throws the error of the file system */
export async function place(
  folder: SharedFolder,
  path: string,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const [above] = split(path)
  if (above !== '') await folder.makeFolder(above)
  await using file = await folder.open(path, 'new')
  for await (const piece of content) await writeAll(file, piece)
}

const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
