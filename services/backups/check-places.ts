/**
 * Whether the folders of saves and backups and the storage for copies are usable, for `--check-config` and the doctor.
 * Leaves nothing behind.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { NotAFolder } from '../../lib/shared-folder/access.ts'
import { inSharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { allSaves, inSaves } from '../saves/saves-folder.ts'
import { CopyError, type CopyStore } from './copy-store.ts'

/**
 * @param dir `SAVES_DIR`. It may be empty: the game makes `Saves` with its first save
 * @returns what is wrong; undefined when backups of the saves are possible. A restore also needs the right to write
 */
export async function savesProblem(dir: string): Promise<string | undefined> {
  try {
    const names: string[] = []
    await inSharedFolder(dir, async (top) => {
      for await (const { name } of top.entries()) names.push(name)
    })
    if (names.includes('Saves')) {
      if (!(await inSaves(dir, (saves) => saves.allows(constants.R_OK | constants.X_OK))))
        return unreadable('EACCES')
    } else if (names.length > 0)
      return `has no folder Saves: name the folder that holds it${basename(dir) === 'Saves' ? ', and not itself' : ''}`
    return undefined
  } catch (error) {
    return error instanceof NotAFolder
      ? 'has a link or a file named Saves: it must be the folder itself'
      : unreadable(errorCode(error) ?? 'unknown cause')
  }
}

const unreadable = (code: string): string => `cannot be read: ${words[code] ?? 'the disk fails'} (${code})`

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder; mount it',
  ENOTDIR: 'it is not a folder',
  EACCES: 'give the user of this process the right to read it and what is in it',
  EPERM: 'give the user of this process the right to read it and what is in it',
}

/** @returns what is wrong with keeping backups in a folder next to these saves */
export function nestedProblem(folder: string, savesDir: string): string | undefined {
  const path = relative(resolve(allSaves(savesDir)), resolve(folder))
  const isWithin = path === '' || !(path === '..' || path.startsWith('../') || path.startsWith('/'))
  return isWithin
    ? 'lies in the folder Saves of SAVES_DIR, where the game looks for farms: use another one'
    : undefined
}

/**
 * Stores a few bytes off-site, reads them back and removes them.
 * @returns what is wrong, without secrets; undefined when the storage works
 */
export async function copyProblem(store: CopyStore): Promise<string | undefined> {
  const { signal } = new AbortController()
  const content = randomBytes(32)
  const name = `farmgate-check-${content.toString('hex', 0, 8)}`
  try {
    await store.write(name, content.length, once(content), signal)
    const pieces: Uint8Array[] = []
    for await (const piece of store.read(name, content.length, signal)) pieces.push(piece)
    await store.remove(name, signal)
    return Buffer.concat(pieces).equals(content) ? undefined : 'what was read back is not what was sent'
  } catch (error) {
    if (error instanceof CopyError) return error.message
    throw error
  }
}

async function* once(content: Uint8Array) {
  yield content
}
