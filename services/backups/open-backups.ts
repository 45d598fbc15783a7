/**
 * The backups of the farm's own process: the port, and the watcher that makes one after each game day
 * (docs/backups.md).
 */

import type { BackupFailure, BackupList } from '../../handlers/backup-list.ts'
import type { BackupReason, MadeBackup } from '../../handlers/backup-record.ts'
import { type Backups, backupBudgets } from '../../handlers/backups.ts'
import { FarmError, farmgateCannot, lostAnswer } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { requireNoNight } from '../../handlers/no-night.ts'
import { type Clock, recurring } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { roomBeyondReserve } from '../../lib/free-space.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { isMissing, NotRegular, wrongEntry } from '../../lib/shared-folder/access.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { type ExaminedSave, examineSave } from '../saves/examine-save.ts'
import { SavesInUse, whileLocked } from '../saves/lock-saves.ts'
import { activeSave, type Save, saveAmong, savesState } from '../saves/saves-folder.ts'
import type { RightFarm } from '../saves/watch-right-farm.ts'
import { backupOfContent } from './backup-of-content.ts'
import { backupStore } from './backup-store.ts'
import { type CopyPlace, copyBackups } from './copies.ts'
import { backUpEachDay } from './daily-backup.ts'
import { watchDays } from './day-watcher.ts'
import { type KeepRule, removable } from './keep.ts'
import type { KeptBackup } from './kept-backup.ts'
import { listOf, recordOf } from './listing.ts'
import { makeBackup } from './make-backup.ts'
import { untilOnline } from './reload-game.ts'
import { endAndReload, endInterruptedRestore, type RestoringParts, restoreById } from './restore-by-id.ts'
import { verifyBackup, verifyDue } from './verify-found.ts'

export interface BackupParts extends Pick<Clock, 'random'> {
  /** `SAVES_DIR`; undefined where farmgate sees no saves. */
  readonly savesDir: string | undefined
  /** `BACKUP_DIR` */
  readonly folder: string
  /** The folder is not read before; at once unless given. */
  readonly ready?: Promise<unknown> | undefined
  readonly keep: KeepRule
  readonly game: Pick<GameBridge, 'status' | 'health' | 'subscribe' | 'players' | 'reload'>
  /** Storage for copies, if any. */
  readonly offsite?: CopyPlace | undefined
  /** Bytes that fit on a folder's disk above its reserve of free space. */
  readonly room?: (folder: string) => Promise<number>
  readonly rightFarm: Pick<
    RightFarm,
    'held' | 'mayRemove' | 'onDecided' | 'expect' | 'allow' | 'disallow' | 'checkReload'
  >
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Called with a reason when backups begin to fail; not again before one was made. */
  readonly onFailed?: (reason: string) => void
}

/** Since the start of the process. */
interface BackupCounts {
  made: number
  failed: number
  removedByRule: number
}

/** Milliseconds for calls other than making and restoring. */
const quick = 10_000

export type OpenBackups = ReturnType<typeof openBackups>

export function openBackups(parts: BackupParts) {
  const { savesDir, folder, keep, game, offsite, rightFarm, clock, random, log, onFailed } = parts
  const { room = roomBeyondReserve } = parts
  const onStrange = (archive: string, cause: string) =>
    log.warn({ archive, cause }, 'an archive in BACKUP_DIR is not listed')
  const store = backupStore(folder, clock.now, onStrange, parts.ready)
  const onDamaged = (id: string, cause: string) => {
    log.warn({ id, cause }, 'a backup is damaged: it cannot be restored')
    onFailed?.(`the backup ${id} is damaged`)
  }
  const verify = async (id: string): Promise<boolean> => {
    const { isWhole, damage } = await verifyBackup(store, id, clock.now)
    if (damage !== undefined) onDamaged(id, damage)
    return isWhole
  }
  const isHeld = () => !rightFarm.mayRemove()
  const copies =
    offsite && copyBackups({ backups: { ...store, verify }, ...offsite, isHeld, clock, random, log })
  copies?.start()
  rightFarm.onDecided(() => copies?.start())
  const closed = new AbortController()
  const verifyAll = () =>
    verifyDue({ store, now: clock.now, onDamaged, signal: closed.signal }).then(
      (verified) => (verified === 0 ? undefined : copies?.start()),
      // A folder that cannot be read is reported when a backup is made or requested.
      () => undefined,
    )
  let verifying = verifyAll()
  const eachDay = recurring(
    clock.after,
    () => 86_400_000,
    () => {
      verifying = verifying.then(verifyAll)
    },
  )
  eachDay.start()
  const counts: BackupCounts = { made: 0, failed: 0, removedByRule: 0 }
  const ended =
    savesDir === undefined
      ? Promise.resolve(undefined)
      : whileLocked(savesDir, () => endInterruptedRestore(savesDir, { log, clock })).catch(
          (error: unknown) => {
            if (error instanceof SavesInUse)
              log.warn({ cause: error.message }, 'a restore that was interrupted is not looked for')
            return undefined
          },
        )
  const inTurn = oneAtATime().run
  void inTurn(() => ended)
  let failing: BackupFailure | undefined
  const failedFor = (failure: BackupFailure, cause: string, reason: string) => {
    counts.failed += 1
    if (failing === undefined) {
      log.error({ cause }, 'the save could not be backed up')
      onFailed?.(reason)
    }
    failing = failure
  }
  const failed = (error: unknown) =>
    failedFor(isDiskLow(error) ? 'disk_low' : 'other', String(error), reasonOf(error))
  /** A day has no backup although nothing has failed. */
  const missed = (failure: BackupFailure, reason: string) => failedFor(failure, reason, reason)
  const make = async (examined: ExaminedSave, reason: BackupReason): Promise<KeptBackup | undefined> => {
    // The backup before a restore may use the reserve: without it the save could not be restored.
    if (reason !== 'before_restore' && (await room(folder)) <= 0) throw new FarmError({ kind: 'disk_low' })
    const made = await makeBackup(store, examined, reason, clock.now())
    if (made === undefined) return undefined
    const { leftOut } = examined
    if (leftOut.length > 0)
      log.warn(
        { id: made.id, files: leftOut.slice(0, 10), count: leftOut.length },
        'the backup leaves out files that farmgate cannot read or an archive cannot hold',
      )
    failing = undefined
    counts.made += 1
    log.info({ id: made.id, bytes: made.bytes }, 'the save is backed up')
    for (const id of removable(await store.list(), keep, await rightFarm.held())) {
      await store.remove(id)
      counts.removedByRule += 1
    }
    copies?.start()
    return made
  }

  const backUpToday = backUpEachDay({
    store,
    make,
    now: clock.now,
    onKnown: () => {
      failing = undefined
    },
  })
  const endWatching =
    savesDir === undefined
      ? async () => {}
      : watchDays({
          game,
          look: (farm, hadPlayers) =>
            inTurn(() => backUpToday(savesDir, farm, hadPlayers)).catch((error: unknown) => {
              if (isRenaming(error)) return 'later'
              failed(error)
              return 'failed'
            }),
          onNeverWhole: () =>
            missed('not_whole', 'the save is not whole, or of another day, five minutes after the day began'),
          onNoDay: () => missed('no_day', 'the game has not reported a day for 15 minutes'),
          after: clock.after,
        })

  /** @throws {FarmError} unsupported; save_in_progress during the night */
  const saveToBackUp = async (): Promise<Save> => {
    if (savesDir === undefined || (await savesState(savesDir)) === 'absent')
      throw farmgateCannot('make a backup: no saves folder is mounted. Set SAVES_DIR')
    await requireNoNight(game)
    const save = await activeSave(savesDir, await game.status())
    if (save === undefined) throw farmgateCannot('make a backup: SAVES_DIR has no save of this farm')
    return save
  }
  const list = async (): Promise<BackupList> => {
    const [kept, saves] = await Promise.all([store.list(), savesState(savesDir)])
    const { state } = shown?.list ?? {}
    if (shown?.of !== kept || state?.saves !== saves || state.failing !== failing)
      shown = { of: kept, list: listOf(kept, saves, copies !== undefined, failing) }
    return shown.list
  }
  let shown: { readonly of: readonly KeptBackup[]; readonly list: BackupList } | undefined
  const makeOf = async (save: Save): Promise<MadeBackup> => {
    const examined = await examineSave(save).catch(ifRenaming)
    if (examined === undefined) throw new FarmError({ kind: 'save_in_progress' })
    const existing = await backupOfContent(store, examined, clock.now)
    if (existing !== undefined) {
      failing = undefined
      return { ...recordOf(existing, copies !== undefined), created: false }
    }
    const made = await make(examined, 'manual').catch(ifRenaming)
    if (made === undefined) throw new FarmError({ kind: 'save_in_progress' })
    return { ...recordOf(made, copies !== undefined), created: true }
  }
  const onAlarm = (what: string) => onFailed?.(what)
  const restoring: RestoringParts = {
    savesDir,
    store,
    game,
    rightFarm,
    backUpWhole: (examined) => make(examined, 'before_restore'),
    clock,
    log,
    onAlarm,
  }
  const afterUndo = ended.then(async (swap) => {
    if (savesDir === undefined || swap?.owed === undefined) return
    await untilOnline(game, closed.signal)
    if (!closed.signal.aborted)
      await inTurn(() => whileLocked(savesDir, () => endAndReload(savesDir, restoring))).catch(
        () => undefined,
      )
  })
  /** @throws {FarmError} */
  const answered = <Answer>(
    effect: 'read' | 'write',
    call: Promise<Answer>,
    budget = quick,
  ): Promise<Answer> => {
    const answer = call.catch((error: unknown) => {
      throw error instanceof FarmError
        ? error
        : new FarmError({ kind: 'disk_failed', detail: detailOf(error) })
    })
    return withTimeLimit(budget, answer, () => new FarmError(lostAnswer(effect)))
  }
  const logged = <Answer>(id: string, call: Promise<Answer>): Promise<Answer> =>
    call.catch((error: unknown) => {
      if (!(error instanceof FarmError))
        log.error({ id, cause: String(error) }, 'a backup could not be restored or removed')
      throw error
    })
  const remove = async (id: string): Promise<boolean> => {
    const isRemoved = await store.remove(id)
    copies?.start()
    return isRemoved
  }
  return {
    counts,
    /** Whether the last attempt to make a backup has failed. */
    isFailing: (): boolean => failing !== undefined,
    /** The number of backups whose last read found them damaged. @throws the error of the file system */
    damaged: async () => (await store.list()).filter(({ damaged }) => damaged === true).length,
    /** undefined where there are no off-site copies. */
    copies,
    port: {
      backups: () => answered('read', list()),
      makeBackup: () =>
        answered(
          'write',
          inTurn(async () => makeOf(await saveToBackUp())).catch((error: unknown) => {
            if (!(error instanceof FarmError) || isDiskLow(error)) failed(error)
            throw error
          }),
          backupBudgets.make,
        ),
      restoreBackup: (id, isDryRun) =>
        answered(
          'write',
          logged(
            id,
            inTurn(() => restoreById(restoring, id, isDryRun)),
          ),
          backupBudgets.restore,
        ),
      removeBackup: (id) => answered('write', logged(id, remove(id))),
      readBackup: (id, from, length) => answered('read', store.read(id, from, length)),
    } satisfies Backups,
    /**
     * Backs up another save than the one that the game plays, unless a backup has the same files.
     * @throws {FarmError} save_in_progress, disk_low, disk_failed
     */
    backUpSave: (dir: string, name: string) =>
      answered(
        'write',
        inTurn(() => makeOf(saveAmong(dir, name))),
        backupBudgets.make,
      ),
    /** Ends the watcher after the current backup. Aborts the current copy, which the next start begins again. */
    async close() {
      closed.abort()
      await endWatching()
      await afterUndo
      await inTurn(async () => undefined)
      eachDay.stop()
      await verifying
      await copies?.close()
    },
  }
}

const isDiskLow = (error: unknown): boolean => error instanceof FarmError && error.failure.kind === 'disk_low'

/** For the webhook, without paths of this machine. */
function reasonOf(error: unknown): string {
  if (error instanceof FarmError) return error.failure.kind
  return errorCode(error) ?? 'the log says why'
}

/** A file that existed a moment ago, or another one in its place: the game renames its files when it saves. */
const isRenaming = (error: unknown): boolean => isMissing(error) || error instanceof NotRegular

function ifRenaming(error: unknown): undefined {
  if (!isRenaming(error)) throw error
}

/** For the answer, without paths of this machine; the log has the whole error of a change. */
const detailOf = (error: unknown): string =>
  wrongEntry(error, 'Saves') ?? errorCode(error) ?? 'the archive was not read back as it was written'
