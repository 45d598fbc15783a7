/** Finds the mods in a folder by SMAPI's rules. Other programs, which may be hostile, can write in the folder. */
import type { ModProblem } from '../../handlers/mod-record.ts'
import { errorCode } from '../../lib/error-code.ts'
import { NotRegular } from '../../lib/shared-folder/access.ts'
import type { SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { isManifest, type ModManifest, maxManifestBytes, readModManifest } from './manifest.ts'

/**
 * Maximum of entries that one look reads, of bytes in all manifests, of mods that it returns, and of folders within each
 * other.
 */
const most = { entries: 20_000, bytes: 32 * 1024 ** 2, mods: 1000, depth: 8 } as const

export type ModPlace = 'on' | 'off'

export interface FoundMod {
  /** Below the searched folder. */
  readonly folder: string
  /** Among the mods, or in the folder of disabled ones. */
  readonly place: ModPlace
  /** Among the mods, and without a dot before its name, at which SMAPI skips it. */
  readonly isEnabled: boolean
  readonly manifest?: ModManifest
  readonly problem?: ModProblem
  /** When the manifest was last changed or copied here, milliseconds since 1970. */
  readonly changedAt: number
}

export type FoundMods = Awaited<ReturnType<typeof findMods>>

/** What SMAPI ignores: a folder that has nothing else but folders can have mods in them. */
const isIgnored = (name: string, isFile: boolean): boolean =>
  /^(__folder_managed_by_vortex|__MACOSX|mcs|desktop\.ini|Thumbs\.db)$/i.test(name) ||
  (isFile &&
    /^\.|\.(docx?|md|rtf|txt|bmp|gif|ico|jpe?g|png|psd|tif|rar|zip|backup|bak|old|url|lnk)$/i.test(name))

/**
 * @param top an open folder of mods @param skipped the names of folders in it that are not searched
 * @throws the error of the file system, of the folder itself
 */
export async function findMods(top: SharedFolder, place: ModPlace, skipped: ReadonlySet<string>) {
  const mods: FoundMod[] = []
  let entriesLeft: number = most.entries
  let bytesLeft: number = most.bytes
  let isWhole = true
  const isFull = () => {
    if (entriesLeft > 0 && bytesLeft > 0 && mods.length < most.mods) return false
    isWhole = false
    return true
  }
  const spend = (bytes: number): void => {
    bytesLeft -= bytes
  }
  const look = async (opened: SharedFolder, path: string): Promise<void> => {
    const isTop = path === ''
    const isHidden = /(^|\/)\.[^/]*$/.test(path)
    const folders: string[] = []
    const manifests: string[] = []
    let hasFiles = false
    for await (const { name, kind } of opened.entries()) {
      if (isFull()) return
      entriesLeft -= 1
      // Its path could not be written in an answer, and sent back.
      if (name.includes('\uFFFD') || /\p{Cc}/u.test(name)) continue
      if (isManifest(name)) manifests.push(name)
      else if (kind === 'folder') {
        if (!(isTop && skipped.has(name)) && !isIgnored(name, false)) folders.push(name)
      } else if (!isIgnored(name, true)) hasFiles = true
    }
    const found = { folder: path, place, isEnabled: place === 'on' && !isHidden, changedAt: 0 }
    const [manifest] = manifests.sort()
    if (!isTop && manifest !== undefined) mods.push({ ...found, ...(await readIn(opened, manifest, spend)) })
    else if (!isTop && hasFiles && !isHidden)
      mods.push({
        ...found,
        problem: { code: 'no_manifest', message: 'The folder has files, but no manifest.json' },
      })
    else if (isTop || !isHidden) {
      if (path.split('/').length >= most.depth && folders.length > 0) isWhole = false
      else
        for (const name of folders.sort()) {
          if (isFull()) return
          await opened
            .within(name, (below) => look(below, isTop ? name : `${path}/${name}`))
            .catch(unlessLate)
        }
    }
  }
  await look(top, '')
  return {
    mods,
    /** Whether the look has seen everything. */
    isWhole,
  }
}

/** A folder that cannot be read, or was replaced meanwhile, has no mod. */
function unlessLate(error: unknown): void {
  if (errorCode(error) === 'ETIMEDOUT') throw error
}

const badManifest = (message: string): Pick<FoundMod, 'problem'> => ({
  problem: { code: 'bad_manifest', message },
})

async function readIn(
  opened: SharedFolder,
  name: string,
  onRead: (bytes: number) => void,
): Promise<Partial<Pick<FoundMod, 'manifest' | 'problem' | 'changedAt'>>> {
  try {
    const status = await opened.status(name)
    const changedAt = Number(status?.ctimeMs ?? 0)
    if (status?.isFile() === true && status.size > maxManifestBytes)
      return { ...badManifest(`${name} has more than ${maxManifestBytes} bytes`), changedAt }
    const bytes = await opened.read(name, maxManifestBytes)
    if (bytes === undefined) return badManifest(`${name} is no longer there`)
    onRead(bytes.length)
    const read = readModManifest(bytes)
    return 'wrong' in read
      ? { ...badManifest(`${name} ${read.wrong}`), changedAt }
      : { manifest: read, changedAt }
  } catch (error) {
    unlessLate(error)
    return badManifest(error instanceof NotRegular ? `${name} is ${error.message}` : `${name} cannot be read`)
  }
}
