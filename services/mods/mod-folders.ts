/** The folder of the mods and that of disabled ones. The game, and with it every mod, can write in both. */
import { mkdir } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { type FoundMods, findMods } from './find-mods.ts'

/** The folder for unfinished changes, among the mods and among the disabled ones. The game skips names that begin with a dot. */
export const stagingName = '.farmgate-mods'

export interface ModFolders {
  /** `MODS_DIR` */
  readonly dir: string
  /** `MODS_OFF_DIR` */
  readonly offDir: string
}

export interface OpenModFolders {
  readonly on: SharedFolder
  readonly off: SharedFolder
}

/** Where the folder of disabled mods lies among the mods; undefined where it is another one. */
function belowMods({ dir, offDir }: ModFolders): string | undefined {
  const path = relative(dir, offDir)
  return path === '' || path.startsWith('..') || path.startsWith(sep) ? undefined : path.split(sep).join('/')
}

/** Opens both; makes the second where it is missing. @throws the error of the file system */
export const inModFolders = <Result>(
  folders: ModFolders,
  action: (opened: OpenModFolders) => Promise<Result>,
): Promise<Result> =>
  inSharedFolder(folders.dir, async (on) => {
    const below = belowMods(folders)
    if (below !== undefined) {
      // The path after MODS_DIR is not the operator's alone: no link in it is followed.
      await on.makeFolder(below)
      return on.within(below, (off) => action({ on, off }))
    }
    await mkdir(folders.offDir, { recursive: true })
    return inSharedFolder(folders.offDir, (off) => action({ on, off }))
  })

/** Finds all mods, the disabled ones too. @throws the error of the file system, of the folder of the mods */
export async function findAllMods(folders: ModFolders): Promise<FoundMods> {
  return inSharedFolder(folders.dir, async (on) => {
    const below = belowMods(folders)
    const enabled = await findMods(on, 'on', new Set([stagingName, below?.split('/')[0] ?? stagingName]))
    const look = (off: SharedFolder) => findMods(off, 'off', new Set([stagingName]))
    const disabled = await (below === undefined
      ? inSharedFolder(folders.offDir, look)
      : on.within(below, look)
    ).catch(none)
    return { mods: [...enabled.mods, ...disabled.mods], isWhole: enabled.isWhole && disabled.isWhole }
  })
}

/** Without disabled mods there is no such folder, or a link is in its place. */
function none(error: unknown): FoundMods {
  if (errorCode(error) === 'ETIMEDOUT') throw error
  return { mods: [], isWhole: true }
}
