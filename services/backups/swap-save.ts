/**
 * Replaces one save by another. The old save or the new one is whole whenever the process is killed, and the next
 * start knows which (docs/backups.md, "Restore"). A journal is written before the first rename. All names next to the
 * saves begin with a dot.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as v from 'valibot'
import { gameDay } from '../../handlers/backup-record.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import { NotRegular } from '../../lib/shared-folder/access.ts'
import type { Entry, SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { saveFolder } from '../archives/manifest.ts'
import { type ExaminedSave, examineSave, notInBackups } from '../saves/examine-save.ts'
import { allSaves, inSaves, saveAmong } from '../saves/saves-folder.ts'

const journalName = '.farmgate-restore.json'
/** Name of the journal while it is written. */
const journalTemporary = `${journalName}.new`
/** Folder of the new save, until it is in its place. */
const newName = '.farmgate-restore-new'
/** Folder of the old save, until the game has confirmed the new one. */
export const oldName = '.farmgate-restore-old'

/** Maximum of bytes of a journal. It has some hundred; those of earlier versions name each file of the save. */
const maxJournal = 4 * 1024 * 1024
/** Its files: a name and three facts each. */
const journalLimits = { values: 200_000 }

/** After an undo: the game may have loaded the removed save. It owes a reload until it plays another day. */
const owedReload = v.object({
  /** The day of the removed save, where it was readable. */
  day: v.exactOptional(gameDay),
  /** Milliseconds since 1970. */
  undoneAt: v.number(),
})
export type OwedReload = Readonly<v.InferOutput<typeof owedReload>>

const journal = v.object({
  /** The name of the save's folder. */
  save: saveFolder,
  /** The digest of the new save's files (`digestOf`), which identifies it on another disk. */
  placed: v.string(),
  isConfirmed: v.boolean(),
  owed: v.exactOptional(owedReload),
})
type Journal = v.InferOutput<typeof journal>

/** The save from before a restore exists, and no journal names its farm; the message is for the operator. */
export class LeftAside extends Error {
  override readonly name = 'LeftAside'
}

/** One change of the disk. When the process is killed, the earlier steps have been made. */
export interface SwapStep {
  readonly what: string
  run(): Promise<void>
}

/** The staging folder among all saves, in which the new save is prepared. */
export const stagingName = newName

/** Names and contents of the files of a save. */
export const digestOf = ({ files }: Pick<ExaminedSave, 'files'>): string =>
  createHash('sha256')
    .update(JSON.stringify(files.map(({ path, sha256 }) => [path, sha256])))
    .digest('hex')

/**
 * The steps of a restore. After the confirmation nothing is undone, because the old save may then be removed in part.
 * @param dir `SAVES_DIR`
 * @param placed the digest of the new save, which is in the staging folder under its name
 */
export function swapSteps(dir: string, save: string, placed: string) {
  const write = (isConfirmed: boolean) =>
    inSaves(dir, (saves) => writeJournal(saves, { save, placed, isConfirmed }))
  const place: readonly SwapStep[] = [
    { what: 'the journal', run: () => write(false) },
    { what: 'the old save is moved aside', run: () => moved(dir, save, oldName) },
    { what: 'the new save is put in its place', run: () => moved(dir, `${newName}/${save}`, save) },
  ]
  const confirm: SwapStep = { what: 'it is confirmed', run: () => write(true) }
  return { place, confirm, finish: finishSteps(dir, save) }
}

/**
 * The steps that put the old save back. The new save is moved first, so that there are never two.
 * @param owed the journal keeps it until `forgetReload`
 */
export const undoSteps = (dir: string, save: string, owed?: OwedReload): readonly SwapStep[] => [
  ...(owed === undefined ? [] : [noteOf(dir, save, owed)]),
  {
    what: 'the new save is moved aside',
    run: () =>
      inSaves(dir, async (saves) => {
        if ((await saves.status(oldName)) === undefined) return
        await saves.remove(newName)
        if ((await saves.status(save)) === undefined) return
        await saves.rename(save, newName)
        // Where the disk cannot be flushed, the old save is put back anyway, and the journal stays.
        await saves.sync().catch(() => undefined)
      }),
  },
  {
    what: 'the old save is put back',
    run: async () => {
      if (await inSaves(dir, (saves) => saves.status(oldName))) await moved(dir, oldName, save)
    },
  },
  ...(owed === undefined
    ? removal(dir, [...asideNames, journalName])
    : [...removal(dir, asideNames), noteOf(dir, save, owed)]),
]

/**
 * Written before the undo, because nothing else then shows that the game may have loaded the new save. A full disk
 * does not prevent the undo; it has room again after that.
 */
const noteOf = (dir: string, save: string, owed: OwedReload): SwapStep => ({
  what: 'the reload is noted',
  run: () =>
    inSaves(dir, async (saves) => {
      const begun = await readJournal(saves)
      if (begun?.owed === undefined || begun.owed.undoneAt !== owed.undoneAt)
        await writeJournal(saves, { save, placed: '', ...begun, isConfirmed: false, owed }).catch(
          () => undefined,
        )
    }),
})

/** The game plays the save in its place. @throws the error of the file system */
export const forgetReload = (dir: string): Promise<void> => runAll(removal(dir, [journalName]))

export async function runAll(steps: readonly SwapStep[]): Promise<void> {
  for (const { run } of steps) await run()
}

export interface EndedSwap {
  readonly save: string
  /** `undone_before`: only the reload was left. */
  readonly end: 'undone' | 'finished' | 'undone_before'
  /** Where the new save was in its place, so that the game may have loaded it. */
  readonly owed: OwedReload | undefined
}

/**
 * Ends a restore that a killed process began. It is undone unless the game had confirmed the new save, or has since
 * written to it and left it whole.
 * @param dir `SAVES_DIR` @param now milliseconds since 1970
 * @returns undefined when there was none
 * @throws {LeftAside} nothing was changed then
 * @throws the error of the file system
 */
export async function recoverSwap(dir: string, now: number): Promise<EndedSwap | undefined> {
  const { begun, isOldAside } = await inSaves(dir, async (saves) => ({
    begun: await readJournal(saves),
    isOldAside: (await saves.status(oldName)) !== undefined,
  }))
  if (begun === undefined) {
    if (isOldAside)
      throw new LeftAside(`${oldName} is in the saves without its journal: move it out of the folder Saves`)
    // A restore that was killed before it wrote its journal has only unpacked files.
    await inSaves(dir, async (saves) => {
      for (const name of [newName, journalTemporary, journalName]) await saves.remove(name)
    })
    return undefined
  }
  const { save, placed, isConfirmed } = begun
  const wasPlaced = isOldAside && (await inSaves(dir, (saves) => saves.status(save))) !== undefined
  const found = wasPlaced ? await examineSave(saveAmong(dir, save)).catch(() => undefined) : undefined
  const isFinished = isConfirmed || (found !== undefined && isAnother(found, placed))
  if (isFinished) {
    await runAll(finishSteps(dir, save))
    return { save, end: 'finished', owed: undefined }
  }
  const owed = wasPlaced ? { ...(found && { day: found.facts.day }), undoneAt: now } : begun.owed
  await runAll(undoSteps(dir, save, owed))
  return { save, end: isOldAside || owed === undefined ? 'undone' : 'undone_before', owed }
}

/** Whether a whole save differs from the placed one. Earlier versions noted its state instead of the digest. */
const isAnother = (found: ExaminedSave, placed: string): boolean =>
  digestOf(found) !== placed && found.state !== placed

const finishSteps = (dir: string, save: string): readonly SwapStep[] => [
  {
    what: 'what is in no backup is kept',
    run: () =>
      inSaves(dir, async (saves) => {
        if ((await saves.status(oldName)) === undefined) return
        const old = { name: save, top: dir, folder: join(allSaves(dir), oldName) }
        await keepOthers(saves, save, await notInBackups(old))
      }),
  },
  ...removal(dir, [...asideNames, journalName]),
]

/**
 * Moves what no backup has from the old save to the new one: links, files whose names begin with a dot, and what an
 * archive cannot hold or farmgate may not read.
 * @param below the folder in the save, with a slash at its end
 */
async function keepOthers(
  saves: SharedFolder,
  save: string,
  isInNone: (path: string, entry: Entry) => Promise<boolean>,
  below = '',
): Promise<void> {
  const [from, to] = [oldName, save].map((name) => `${name}/${below}`.replace(/\/$/, '')) as [string, string]
  const others: Buffer[] = []
  const folders: string[] = []
  await saves.within(from, async (old) => {
    for await (const entry of old.entries()) {
      if (await isInNone(below + entry.name, entry)) others.push(entry.raw)
      else if (entry.kind === 'folder') folders.push(entry.name)
    }
  })
  if (others.length > 0) await saves.makeFolder(to)
  for (const name of others)
    if ((await saves.status([to, name])) === undefined) await saves.rename([from, name], [to, name])
  for (const name of folders) await keepOthers(saves, save, isInNone, `${below}${name}/`)
}

/** The journal is removed last, after everything that it names. */
const asideNames = [oldName, newName, journalTemporary] as const

const removal = (dir: string, names: readonly string[]): readonly SwapStep[] =>
  names.map((name) => ({
    what: `${name} is removed`,
    run: () =>
      inSaves(dir, async (saves) => {
        await saves.remove(name)
        await saves.sync()
      }),
  }))

const moved = (dir: string, from: string, to: string): Promise<void> =>
  inSaves(dir, async (saves) => {
    await saves.rename(from, to)
    await saves.sync()
  })

const writeJournal = (saves: SharedFolder, content: Journal): Promise<void> =>
  saves.write(journalName, journalTemporary, JSON.stringify(content))

/** @returns undefined when there is none, and for a file that is not farmgate's */
async function readJournal(saves: SharedFolder): Promise<Journal | undefined> {
  const text = await saves.read(journalName, maxJournal).catch((error: unknown) => {
    if (error instanceof NotRegular) return undefined
    throw error
  })
  return readForeign(journal, text, journalLimits)
}
