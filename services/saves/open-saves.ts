/** The port of the saves, in the farm's own process (docs/backups.md, "Saves"). */
import { rmSync } from 'node:fs'
import { FarmError, farmgateCannot, lostAnswer, mayBeMade } from '../../handlers/farm-error.ts'
import type { Mods } from '../../handlers/mods.ts'
import { requireNoNight } from '../../handlers/no-night.ts'
import type { NextSave, SaveRecord } from '../../handlers/save-record.ts'
import type { RequestedLoad, Saves } from '../../handlers/saves.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { roomBeyondReserve } from '../../lib/free-space.ts'
import { keptAnswer } from '../../lib/kept-answer.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { isMissing, wrongEntry } from '../../lib/shared-folder/access.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { ImportRefused } from './import-refused.ts'
import { type FoundSave, importSave } from './import-save.ts'
import { type ListedSave, markOf, saveList } from './list-saves.ts'
import { abilitiesOf, beginLoad, type LoadParts, lineFor } from './load-save.ts'
import { SavesInUse, whileLocked } from './lock-saves.ts'
import { beginNewFarm, type NewFarmParts } from './new-farm.ts'
import { canPoint, loadNext, nextSave } from './pointer.ts'
import { type ReceiveParts, whileReceived } from './receive-archive.ts'
import { activeSave, farmNumber, isSameDay, savesState } from './saves-folder.ts'
import type { RightFarm } from './watch-right-farm.ts'

export interface SavesParts extends LoadParts, Pick<NewFarmParts, 'settings'> {
  /** `SAVES_DIR`; undefined where farmgate sees no saves. */
  readonly savesDir: string | undefined
  /** Where uploads are kept while they arrive. Those of an earlier process are removed at once. */
  readonly folder: string
  readonly room?: ReceiveParts['room']
  readonly mods: Pick<Mods, 'mods'>
  /** Backs up a save that the game does not play; missing where backups are not set up. */
  readonly backUp?: ((dir: string, name: string) => Promise<unknown>) | undefined
  readonly rightFarm: Pick<RightFarm, 'unexpected' | 'expected' | 'decide' | 'expect' | 'allow' | 'disallow'>
  readonly clock: LoadParts['clock'] & Pick<Clock, 'monotonic'>
}

/** Milliseconds for the list, and for the mods in it. */
const quick = { list: 10_000, mods: 3000 } as const
/** Milliseconds for which a list is served again. */
const keepFor = 1000

export function openSaves(parts: SavesParts): Saves {
  const { savesDir, folder, game, host, clock, mods, rightFarm, room = roomBeyondReserve } = parts
  rmSync(folder, { recursive: true, force: true })
  const inTurn = oneAtATime().run
  const choices = oneAtATime().run
  const list = savesDir === undefined ? undefined : saveList(savesDir)

  /** @throws {FarmError} unsupported */
  const required = async (what: string, isWritten: boolean): Promise<string> => {
    const state = await savesState(savesDir)
    if (savesDir === undefined || state === 'absent')
      throw farmgateCannot(`${what}: no saves folder is mounted. Set SAVES_DIR`)
    if (isWritten && state === 'read_only')
      throw farmgateCannot(`${what}: the saves folder is read-only. Set SAVES_ACCESS=rw`)
    return savesDir
  }

  const activeName = async (dir: string): Promise<string | undefined> =>
    (await activeSave(dir, await game.status()))?.name

  /** Names of the mods with which the game plays; undefined where it has others than the folder of the mods. */
  const loadedMods = async (): Promise<string[] | undefined> => {
    const { mods: found, restartNeeded, incomplete } = await mods.mods()
    return restartNeeded || incomplete
      ? undefined
      : found.filter(({ enabled, problems }) => enabled && problems.length === 0).map(({ name }) => name)
  }

  const all = async (): Promise<readonly SaveRecord[]> => {
    const dir = await required('list the saves', false)
    const [found, active, loaded] = await Promise.all([
      // The game makes the folder with its first save.
      list?.all().catch((error: unknown) => {
        if (isMissing(error)) return []
        throw error
      }) ?? [],
      // While the game is offline no save is known to be the active one.
      activeName(dir).catch(() => undefined),
      withTimeLimit(quick.mods, loadedMods(), () => new Error('late')).catch(() => undefined),
    ])
    return found
      .map((save) => ({
        ...save,
        active: save.name === active,
        ...(save.name === active && loaded !== undefined && { mods: loaded }),
      }))
      .sort((a, b) => Number(b.active) - Number(a.active) || (a.savedAt < b.savedAt ? 1 : -1))
  }

  /** Each read opens every save, so callers share one. */
  const kept = keptAnswer(all, keepFor, clock.monotonic)
  /** After a change of what the list shows. */
  const changed = async <Answer>(change: Promise<Answer>): Promise<Answer> => change.finally(kept.drop)

  /** A pointer that farmgate cannot repair is one to no save: the game creates a new farm. */
  const next = async (): Promise<NextSave> => {
    const dir = await required('list the saves', false)
    const found = await nextSave(dir)
    const { state, name = '' } = found
    return state !== 'repairable' || (await canPoint(dir)) ? found : { state: 'missing', name }
  }

  const choose = async (name: string, hostTo: string | undefined, load: RequestedLoad | undefined) => {
    const dir = await required('choose a save', false)
    const save = (await all()).find((one) => one.name === name)
    if (save === undefined) return undefined
    const status = await game.status().catch(() => undefined)
    const mark = markOf(save)
    if (save.active && status?.isOnline === true && isSameDay(save, status)) {
      const { state, save: next } = await nextSave(dir)
      if (state !== 'unknown' && next !== name && (await canPoint(dir))) {
        await requireNoNight(game)
        await loadNext(dir, name)
      }
      await rightFarm.expect(mark)
      return { message: `The game plays ${save.farmName} already`, output: [] }
    }
    const swapTo = swapOf(save, hostTo)
    const can = await abilitiesOf(host)
    if (!can?.console) {
      // Loaded by the pointer, a person's farmer would be the server's for good.
      if (!save.host.isServer || !(await canPoint(dir))) return { line: lineFor(name, swapTo) }
      await requireNoNight(game)
      if (can !== undefined && load !== undefined) {
        const before = (await activeName(dir).catch(() => undefined)) ?? (await nextSave(dir)).save
        const expected = await rightFarm.expected()
        const plan = {
          action: 'load_save' as const,
          save: name,
          ...(before !== undefined && { before }),
          ...(expected !== undefined && { expected }),
        }
        const operation = await host.beginOperation('load_save', load.request, load.by, plan)
        return { message: `The game restarts, and then plays ${save.farmName}`, output: [], operation }
      }
      await loadNext(dir, name)
      await rightFarm.allow(mark)
      return { message: `The next start of the game loads ${save.farmName}`, output: [] }
    }
    // The game rewrites the save when it takes over its host, or makes another one.
    if (!save.host.isServer) await parts.backUp?.(dir, name)
    // Loading takes up to a minute, in which an upload may add another save.
    await rightFarm.allow(mark)
    try {
      const chosen = await (await whileLocked(dir, () => beginLoad(parts, save, swapTo)))()
      await rightFarm.expect(mark)
      return chosen
    } catch (error) {
      if (!mayBeMade(error)) await rightFarm.disallow(mark)
      throw error
    }
  }

  const expect = async (name: string): Promise<boolean> => {
    await required('choose the right save', false)
    const save = (await all()).find((one) => one.name === name)
    if (save !== undefined) await rightFarm.decide(markOf(save))
    return save !== undefined
  }

  return {
    saves: () => withTimeLimit(quick.list, answered(kept.get()), () => new FarmError(lostAnswer('read'))),
    nextSave: () => withTimeLimit(quick.list, answered(next()), () => new FarmError(lostAnswer('read'))),
    async uploadSave(archive, { save, isDryRun }) {
      const dir = await required('add a save', true)
      if (!isDryRun) await requireNoNight(game)
      const received = { folder, room }
      return answered(
        whileReceived(received, archive, (from) =>
          inTurn(async () => {
            // The night may have begun while the archive arrived.
            if (!isDryRun) await requireNoNight(game)
            return changed(importSave({ from, save, savesDir: dir, isCheck: isDryRun }, clock.now()))
          }),
        ).then(async (found) => {
          const { farmName, save: name } = found
          if (!isDryRun) await rightFarm.allow({ name: farmName, number: farmNumber(name) })
          return recordOf(found, clock.now())
        }),
      )
    },
    unexpected: () => answered(rightFarm.unexpected()),
    expectSave: (name) => answered(expect(name)),
    chooseSave: (name, hostTo, load) => answered(choices(() => changed(choose(name, hostTo, load)))),
    startNewFarm: (farm, by) => answered(beginNewFarm(parts, farm, by)),
  }
}

/**
 * The account that is to play the farmer of a save's host; undefined where the save is loaded as it is.
 * @throws {FarmError} host_undecided, invalid_argument
 */
function swapOf({ host }: ListedSave, hostTo: string | undefined): string | undefined {
  if (host.isServer) {
    if (hostTo === undefined || hostTo === 'server') return undefined
    const sentence =
      "The host of this save is the server's own farmer, which no account can play: leave hostTo out"
    throw new FarmError({ kind: 'invalid_argument', sentence, parameter: 'hostTo' })
  }
  if (hostTo === undefined) throw new FarmError({ kind: 'host_undecided', host })
  return hostTo === 'server' ? undefined : hostTo
}

const recordOf = (
  { save: name, farmName, day, people, host, bytes }: FoundSave,
  now: number,
): SaveRecord => ({
  name,
  farmName,
  ...day,
  people: [...people],
  host,
  bytes,
  savedAt: new Date(now).toISOString(),
  active: false,
})

/** @throws {FarmError} for a refusal or an error of the disk; what reading an upload throws */
const answered = <Answer>(call: Promise<Answer>): Promise<Answer> =>
  call.catch((error: unknown) => {
    throw failureOf(error) ?? error
  })

function failureOf(error: unknown): FarmError | undefined {
  if (error instanceof SavesInUse) return new FarmError({ kind: 'saves_locked' })
  if (error instanceof BrokenArchive)
    return new FarmError({
      kind: 'archive_refused',
      sentence: `The archive is refused: ${error.message}`.slice(0, 1000),
    })
  if (error instanceof ImportRefused) {
    const sentence = error.message.slice(0, 1000)
    if (error.because === 'locked') return new FarmError({ kind: 'saves_locked' })
    if (error.because === 'exists') return new FarmError({ kind: 'save_exists', sentence })
    if (error.because === 'folder') return new FarmError({ kind: 'disk_failed', detail: sentence })
    return new FarmError({ kind: 'archive_refused', sentence })
  }
  const code = errorCode(error)
  const detail = wrongEntry(error, 'Saves') ?? (/^E[A-Z]+$/.test(code ?? '') ? code : undefined)
  return detail === undefined ? undefined : new FarmError({ kind: 'disk_failed', detail })
}
