/**
 * Sees to what the game loads when farmgate starts it (docs/backups.md, "Saves"): JunimoServer creates a new farm where
 * its pointer names no save.
 */
import type { WriteEnd } from '../../handlers/audit-entry.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { HostOperation } from '../../handlers/host-record.ts'
import { statusOf } from '../../handlers/problem-table.ts'
import type { Records } from '../../handlers/records.ts'
import type { NextSave } from '../../handlers/save-record.ts'
import type { StartPlan } from '../../handlers/start-plan.ts'
import { harmful } from '../../lib/harmless-text.ts'
import type { Log } from '../../lib/log.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Preparation } from '../host/preparation.ts'
import { knownSaves } from './known-saves.ts'
import { markOf } from './list-saves.ts'
import { creatingFarm, type SettingsFile } from './new-farm.ts'
import { canPoint, loadNext, nextSave, type Repair } from './pointer.ts'
import { namesOfSaves } from './saves-folder.ts'
import type { RightFarm } from './watch-right-farm.ts'

export interface StartParts {
  /** `SAVES_DIR` */
  readonly savesDir: string | undefined
  readonly game: Pick<GameBridge, 'status' | 'farmhands'>
  readonly settings: SettingsFile | undefined
  readonly rightFarm: Pick<
    RightFarm,
    'allow' | 'disallow' | 'takeBack' | 'expect' | 'expected' | 'hasStarted' | 'hasNewGame' | 'newFarm'
  >
  readonly repair: Repair
  readonly log: Pick<Log, 'warn'>
}

/** Logs each repair, whose row of the audit begins before it, as that of every write. */
export const pointerRepairs =
  (records: Pick<Records, 'beganWrite' | 'endedWrite'>, log: Pick<Log, 'info'>): Repair =>
  async (dir, parameters, by) => {
    const row = { requestId: crypto.randomUUID(), address: '', action: 'repairPointer', parameters }
    const id = await records
      .beganWrite({ ...row, ...(by !== undefined && { key: by }) })
      .catch(() => undefined)
    const ended = (end: WriteEnd) =>
      void (id !== undefined && records.endedWrite(id, end).catch(() => undefined))
    try {
      await loadNext(dir, parameters.to)
    } catch (error) {
      ended({ outcome: 'failed', status: statusOf('disk_failed') })
      throw error
    }
    log.info(parameters, "JunimoServer's pointer named no save and is repaired")
    ended({ outcome: 'done', status: 200 })
  }

/** Milliseconds after which a disk that does not answer holds no start back. */
const readWithin = 5000

/** What a start by farmgate would do: nothing wrong, or load a save after a repair, or create a new farm. */
type Start = 'right' | 'repairable' | { readonly refused: string; readonly next: NextSave }

export function watchStarts({ savesDir, game, settings, rightFarm, repair, log }: StartParts) {
  const { all, listed, isPlayed, loadAgain } = knownSaves({ savesDir, game })
  let isUnknown = false

  /** The expected farm is a new one before its first night, and the start makes it again. */
  async function makesExpectedFarm(): Promise<boolean> {
    const name = await rightFarm.newFarm()
    if (name === undefined || settings === undefined) return false
    const isMade = settings.farmName(await settings.read()) === name
    return isMade && !(await all()).some(({ farmName }) => farmName === name)
  }

  async function judged(dir: string): Promise<Start> {
    const next = await nextSave(dir)
    const { state, name = '', save } = next
    if (state === 'unknown' && !isUnknown)
      log.warn({}, 'what the next start of the game loads is not known: no pointer can be read')
    isUnknown = state === 'unknown'
    if (state === 'ok' || isUnknown) return 'right'
    if (state === 'repairable' && (await canPoint(dir))) return 'repairable'
    const hasSaves = (await namesOfSaves(dir).catch(() => [])).length > 0
    if (!hasSaves || (state === 'none' && (await rightFarm.expected()) === undefined)) return 'right'
    if (await makesExpectedFarm()) return 'right'
    const named = name.replaceAll(harmful, ' ').slice(0, 100)
    const why =
      state === 'none'
        ? "JunimoServer's pointer names no save"
        : `JunimoServer's pointer names the save ${named}, which is not there`
    const cure =
      save === undefined
        ? 'Choose a save first (POST /saves/choose)'
        : `It means ${save}: set SAVES_ACCESS=rw to have the pointer repaired, or choose a save (POST /saves/choose)`
    return {
      next,
      refused: `The game was not started, because it would create a new farm: ${why}. ${cure}, or use force`,
    }
  }

  /** What a start by farmgate would do. A disk that does not answer holds none back. Never rejects. */
  const judge = async (): Promise<Start> =>
    savesDir === undefined
      ? 'right'
      : withTimeLimit(readWithin, judged(savesDir), () => new Error('late')).catch(() => 'right')

  /** The farm is expected as soon as the game can play it. */
  function loading({ save, before, expected }: Extract<StartPlan, { action: 'load_save' }>): Preparation {
    return {
      beforeStart: async () => 'preparation',
      async prepare() {
        const found = await listed(save)
        if (savesDir === undefined || found === undefined)
          throw new FarmError({ kind: 'save_refused', sentence: `The save ${save} is not there` })
        const mark = markOf(found)
        await rightFarm.disallow(mark)
        await rightFarm.allow(mark)
        await loadNext(savesDir, save)
      },
      async undo() {
        await loadAgain(before)
        const found = await listed(save)
        if (found !== undefined) await rightFarm.takeBack(markOf(found), expected)
      },
      isRightFarm: (isUndone) => isPlayed(isUndone ? (before ?? '') : save),
      async succeeded() {
        const found = await listed(save)
        if (found !== undefined) await rightFarm.expect(markOf(found))
        await rightFarm.hasStarted()
      },
    }
  }

  return {
    judge,
    /** For an operation that changes nothing of what the game loads. @param isForced it starts the game all the same */
    kept: (by: HostOperation['by'], isForced: boolean) => ({
      async beforeStart() {
        const start = await judge()
        if (start === 'right') return 'nothing' as const
        if (start === 'repairable') return 'preparation' as const
        return isForced ? ('nothing' as const) : { refused: start.refused }
      },
      async prepare() {
        if (savesDir === undefined) return
        const { state, name: from = '', save: to } = await nextSave(savesDir)
        if (state === 'repairable' && to !== undefined) return repair(savesDir, { from, to }, by)
        const start = await judge()
        if (typeof start === 'object' && !isForced)
          throw new FarmError({ kind: 'save_refused', sentence: start.refused })
      },
      undo: async () => undefined,
      isRightFarm: async () => undefined,
      succeeded: rightFarm.hasStarted,
    }),
    /** For an operation that has the game play another farm. */
    changing: (plan: StartPlan): Preparation =>
      plan.action === 'load_save'
        ? loading(plan)
        : creatingFarm({ savesDir, game, rightFarm, settings }, plan),
  }
}
