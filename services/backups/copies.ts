/** Makes an off-site copy of each backup, and removes those of deleted backups; in the background, one at a time. */
import type { BackupRecord } from '../../handlers/backup-record.ts'
import { type BackOff, backOff } from '../../lib/back-off.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import type { Log } from '../../lib/log.ts'
import { copyName, copyNames, copyOffsite } from './copy-offsite.ts'
import { CopyError, type CopyStore } from './copy-store.ts'

const retries: BackOff = { first: 5_000, max: 3_600_000 }

/** Failures in a row after which a copy counts as failed. Attempts continue. */
const toleratedFailures = 3

/** The backups, as far as their copies are concerned. */
interface CopiedBackups {
  /** Newest first. */
  list(): Promise<readonly Pick<BackupRecord, 'id' | 'verifiedAt' | 'offsite'>[]>
  /** Ids of removed backups whose copies are still off-site. */
  removed(): Promise<readonly string[]>
  note(id: string, found: { readonly offsite: 'pending' | 'done' | 'failed' }): Promise<boolean>
  /** The copies of a removed backup are removed too. */
  copyRemoved(id: string): Promise<void>
  /**
   * Reads its archive before it is copied.
   * @returns whether it is whole; a damaged one is no longer verified, and is reported
   * @throws the error of the file system, which says nothing about the archive
   */
  verify(id: string): Promise<boolean>
  /** Where its archive is on this disk. */
  path(id: string): string
}

/** Where copies go. */
export interface CopyPlace {
  readonly store: CopyStore
  /** Copies are encrypted with it, if there is one. */
  readonly passphrase: string | undefined
  /** Host and port of the storage, for the log. */
  readonly place: string
}

interface CopiesParts extends CopyPlace, Pick<Clock, 'random'> {
  /** Whether copies of removed backups are kept for now. */
  readonly isHeld: () => boolean
  readonly backups: CopiedBackups
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Since the start of the process. */
interface CopyCounts {
  made: number
  failed: number
}

export function copyBackups(parts: CopiesParts) {
  const { backups, store, passphrase, place, isHeld, clock, random, log } = parts
  const ended = new AbortController()
  const { signal } = ended
  const counts: CopyCounts = { made: 0, failed: 0 }
  /** Failed attempts by the id of the backup: those with fewer failures come first. */
  const tries = new Map<string, number>()
  let failures = 0
  let reported: string | undefined
  let isWanted = false
  let underWay: Promise<void> | undefined
  let endWait: (() => void) | undefined

  const fewestTriesFirst = (a: string, b: string) => (tries.get(a) ?? 0) - (tries.get(b) ?? 0)
  /** @returns how often it has failed */
  const countTry = (id: string): number => {
    const failed = (tries.get(id) ?? 0) + 1
    tries.set(id, failed)
    return failed
  }
  const succeeded = () => {
    failures = 0
    if (reported !== undefined) log.info({ place }, 'backups are copied off-site again')
    reported = undefined
  }
  const failed = (error: unknown) => {
    failures += 1
    counts.failed += 1
    const cause = wordsOf(error)
    if (failures < toleratedFailures || cause === reported) return
    reported = cause
    log.warn({ place, cause }, 'backups cannot be copied off-site: farmgate keeps trying')
  }

  /** @returns the backup to copy next @param refused ids of those that are not whole */
  async function next(refused: ReadonlySet<string>): Promise<string | undefined> {
    const waiting = (await backups.list()).filter(
      ({ id, verifiedAt, offsite }) => verifiedAt !== undefined && offsite !== 'done' && !refused.has(id),
    )
    const [next] = waiting.sort((a, b) => fewestTriesFirst(a.id, b.id))
    // From now on it may have a copy, which is removed with it.
    if (next?.offsite === 'none') await backups.note(next.id, { offsite: 'pending' })
    return next?.id
  }
  /** @returns false for an archive that is damaged or missing */
  async function copy(id: string): Promise<boolean> {
    try {
      // A damaged archive would be kept off-site as if it could be restored.
      if (!(await backups.verify(id))) return false
      await copyOffsite(store, copyName(id, passphrase), backups.path(id), passphrase, signal)
    } catch (error) {
      const failed = countTry(id)
      if (!signal.aborted && Math.max(failed, failures + 1) >= toleratedFailures)
        await backups.note(id, { offsite: 'failed' })
      throw error
    }
    tries.delete(id)
    await backups.note(id, { offsite: 'done' })
    counts.made += 1
    log.info({ id, place }, 'the backup is copied off-site')
    return true
  }
  async function removeCopy(id: string): Promise<void> {
    try {
      // Which of the two exists depends on whether there was a passphrase at that time.
      for (const name of copyNames(id)) await store.remove(name, signal)
    } catch (error) {
      countTry(id)
      throw error
    }
    tries.delete(id)
    await backups.copyRemoved(id)
  }
  async function copyAll(): Promise<void> {
    const refused = new Set<string>()
    for (let id = await next(refused); id !== undefined; id = await next(refused)) {
      if (await copy(id)) succeeded()
      else refused.add(id)
    }
  }
  async function removeAll(): Promise<void> {
    for (const id of [...(await backups.removed())].sort(fewestTriesFirst)) {
      if (isHeld()) return
      await removeCopy(id)
      succeeded()
    }
  }
  /**
   * Does all pending work. A copy that always fails prevents no removal, and a removal no copy.
   * @throws the error of the first attempt that fails
   */
  async function round(): Promise<void> {
    const failedCopy = await copyAll().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    if (!signal.aborted) await removeAll()
    if (failedCopy !== undefined) throw failedCopy.error
  }
  async function work(): Promise<void> {
    while (isWanted && !signal.aborted) {
      isWanted = false
      try {
        await round()
      } catch (error) {
        if (signal.aborted) break
        failed(error)
        const wait = backOff(retries, failures, random())
        endWait = clock.after(wait, () => {
          endWait = undefined
          start()
        })
      }
      if (endWait !== undefined) break
    }
    underWay = undefined
  }
  const start = () => {
    isWanted = true
    if (underWay === undefined && endWait === undefined && !signal.aborted) underWay = work()
  }
  return {
    counts,
    /** Starts to copy and remove what is left to do; call this at the start and when a backup was made or removed. */
    start,
    /** Aborts the current copy; the next start begins it again. */
    async close() {
      ended.abort(new Error('farmgate is stopping'))
      endWait?.()
      await underWay
    },
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof CopyError
    ? error.message
    : `BACKUP_DIR cannot be used (${errorCode(error) ?? 'unknown cause'})`
