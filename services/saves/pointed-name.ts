/**
 * The name in JunimoServer's pointer to the save that its next start loads. The game can have put anything in its place,
 * so it is read with limits, and the name is only compared with the saves that are there.
 */
import * as v from 'valibot'
import { readForeign } from '../../lib/foreign/read.ts'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'

/** Below `SAVES_DIR`. */
export const pointerFolder = '.smapi/mod-data/junimohost.server'
export const pointerFile = 'junimohost.gameloader.json'
/** Maximum of bytes of the file. */
const maxBytes = 64 * 1024

const pointer = v.nullable(
  v.pipe(
    v.custom<object>((value) => typeof value === 'object' && !Array.isArray(value)),
    v.object({ SaveNameToLoad: v.optional(v.nullable(v.string())) }),
  ),
)

/** Opens the folder of the pointer. @param dir `SAVES_DIR` @throws the error of the file system */
export const inPointerFolder = <Result>(
  dir: string,
  action: (folder: SharedFolder) => Promise<Result>,
): Promise<Result> => inSharedFolder(dir, (top) => top.within(pointerFolder, action))

/** @returns the name; `none` where it names no save; `unknown` where it cannot be read, or there is no JunimoServer */
export async function pointedName(dir: string): Promise<{ readonly name: string } | 'none' | 'unknown'> {
  try {
    const bytes = await inPointerFolder(dir, (folder) => folder.read(pointerFile, maxBytes + 1))
    if (bytes === undefined) return 'none'
    if (bytes.length > maxBytes) return 'unknown'
    // Without the mark of UTF-8 at its start.
    const text = new TextDecoder().decode(bytes)
    if (text.trim() === '') return 'none'
    const read = readForeign(pointer, text)
    if (read === undefined) return 'unknown'
    const name = read?.SaveNameToLoad ?? ''
    return name === '' ? 'none' : { name }
  } catch {
    // Not a JunimoServer, a link, a folder or a pipe, or a disk that does not answer.
    return 'unknown'
  }
}
