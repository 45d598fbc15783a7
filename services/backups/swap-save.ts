/**
 * Replaces one save by another so that the old save or the new one is whole whenever the process is killed, and the next
 * start knows which (docs/backups.md, "Restore"). A journal is written before the first rename. All names beside the
 * saves begin with a dot.
 */
import { lstat, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { openAtomicFile, syncFolder } from '../../lib/atomic-file.ts'
import { stateOf } from './examine-save.ts'
import { saveFolder } from './manifest.ts'

const journalName = '.farmgate-restore.json'
/** Name of the journal while it is written. */
const journalTemporary = `${journalName}.new`
/** Folder of the new save, until it is in its place. */
const newName = '.farmgate-restore-new'
/** Folder of the old save, until the game has confirmed the new one. */
const oldName = '.farmgate-restore-old'

const journal = v.object({
  /** The name of the save's folder. */
  save: saveFolder,
  /** The state of the new save as it was placed. A different state shows that the game has written to it since. */
  placed: v.string(),
  isConfirmed: v.boolean(),
})
type Journal = v.InferOutput<typeof journal>

/** One change of the disk. When the process is killed, the steps before it have been made. */
export interface SwapStep {
  readonly what: string
  run(): Promise<void>
}

/** The staging folder, in which the new save is prepared. @param saves the folder of all saves */
export const stagingOf = (saves: string): string => join(saves, newName)

/**
 * The steps of a restore. After the confirmation nothing is undone, because the old save may then be removed in part.
 * @param placed the state of the new save (`stateOf`), which lies in the staging folder under its name
 */
export function swapSteps(saves: string, save: string, placed: string) {
  const target = join(saves, save)
  const write = (isConfirmed: boolean) => writeJournal(saves, { save, placed, isConfirmed })
  const place: readonly SwapStep[] = [
    { what: 'the journal', run: () => write(false) },
    { what: 'the old save is moved aside', run: () => moved(saves, target, join(saves, oldName)) },
    {
      what: 'the new save is put in its place',
      run: () => moved(saves, join(stagingOf(saves), save), target),
    },
  ]
  const confirm: SwapStep = { what: 'it is confirmed', run: () => write(true) }
  return { place, confirm, finish: removal(saves) }
}

/** The steps that put the old save back. The new save is moved away first, so that there are never two. */
export const undoSteps = (saves: string, save: string): readonly SwapStep[] => [
  {
    what: 'the new save is taken away',
    run: async () => {
      if (!(await isThere(join(saves, oldName)))) return
      await rm(stagingOf(saves), { recursive: true, force: true })
      if (!(await isThere(join(saves, save)))) return
      await rename(join(saves, save), stagingOf(saves))
      // Where the disk cannot be flushed, the old save is put back nevertheless, and the journal stays.
      await syncFolder(saves).catch(() => undefined)
    },
  },
  {
    what: 'the old save is put back',
    run: async () => {
      if (await isThere(join(saves, oldName))) await moved(saves, join(saves, oldName), join(saves, save))
    },
  },
  ...removal(saves),
]

export async function runAll(steps: readonly SwapStep[]): Promise<void> {
  for (const { run } of steps) await run()
}

/**
 * Ends a restore that a killed process began. It is undone unless the game had confirmed the new save or has written to
 * it since.
 * @returns undefined when there was none
 * @throws the error of the file system, or for a journal that is lost or was not written by farmgate; nothing was changed
 *   then
 */
export async function recoverSwap(
  saves: string,
): Promise<{ save: string; end: 'undone' | 'finished' } | undefined> {
  const begun = await readJournal(saves)
  const isOldAside = await isThere(join(saves, oldName))
  if (begun === undefined) {
    if (isOldAside) throw new Error(`${oldName} is there without its journal: move it out of the saves`)
    // A restore that was killed before it wrote its journal has unpacked files and done nothing else.
    for (const name of [newName, journalTemporary])
      await rm(join(saves, name), { recursive: true, force: true })
    return undefined
  }
  const { save, placed, isConfirmed } = begun
  const isOwn =
    (await stateOf({ name: save, folder: join(saves, save) }).catch(() => undefined))?.text === placed
  const isNewUsed = isOldAside && !isOwn && (await isThere(join(saves, save)))
  const end = isConfirmed || isNewUsed ? 'finished' : 'undone'
  await runAll(end === 'finished' ? removal(saves) : undoSteps(saves, save))
  return { save, end }
}

/** The journal is removed last, when everything that it names has been removed. */
const removal = (saves: string): readonly SwapStep[] =>
  [oldName, newName, journalTemporary, journalName].map((name) => ({
    what: `${name} is removed`,
    run: async () => {
      await rm(join(saves, name), { recursive: true, force: true })
      await syncFolder(saves)
    },
  }))

async function moved(saves: string, from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(saves)
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

async function writeJournal(saves: string, content: Journal): Promise<void> {
  const file = await openAtomicFile(join(saves, journalName), {
    temporary: join(saves, journalTemporary),
    mode: 0o600,
  })
  await file.commit(JSON.stringify(content))
}

async function readJournal(saves: string): Promise<Journal | undefined> {
  const text = await readFile(join(saves, journalName), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : v.parse(v.pipe(v.string(), v.parseJson(), journal), text)
}
