/** Has the records kept in a thread, and restarts them when they fail. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { FarmError } from '../../handlers/farm-error.ts'
import type { RecordsState } from '../../handlers/records.ts'
import { bundledPort } from '../../lib/bundled-port.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { onceAMinute } from '../../lib/once-a-minute.ts'
import { keepThread } from '../../lib/threads.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { databaseFile } from './database.ts'
import type { StateChange } from './database-in-use.ts'
import type { KeeperCalls, Measured } from './keeper.ts'
import { launchKeeper } from './keeper-threads.ts'
import { lockDataDir } from './make-folder.ts'
import { ownRecords } from './own-records.ts'
import { plainErrors } from './plain-errors.ts'
import type { KeptDays } from './prune.ts'
import type { RecordsListener, RecordsThreadCalls, ThreadStart } from './thread-calls.ts'

const closeTimeout = 2000
/** The waits before the thread restarts. */
const delays = { first: 1000, max: 60_000, stableAfter: 60_000 }
/** Milliseconds; a reading of the metrics does not wait longer for a disk that hangs. */
const measureTimeout = 1000

export type OpenRecords = ReturnType<typeof openRecords>

/**
 * @param folder `DATA_DIR`
 * @throws FolderInUse when another process has opened its records there
 */
export function openRecords(folder: string, days: KeptDays, log: Log) {
  let lock = lockDataDir(folder)
  /** The folder was not writable at the start, or was removed since. */
  const lockAgain = () => {
    if (lock?.isHeld()) return
    lock?.release()
    try {
      lock = lockDataDir(folder)
    } catch (error) {
      lock = undefined
      log.error({ cause: String(error) }, 'another process uses DATA_DIR: stop one of the two')
    }
  }
  const start: ThreadStart = { path: join(folder, databaseFile), days }
  let state: RecordsState = 'ok'
  let failures = 0
  const onChange = ({ state: next, trouble, cause, aside }: StateChange) => {
    if (next === 'ok' && state === 'failed') {
      log.info({}, 'records are written to the disk again')
      lockAgain()
    }
    if (aside !== undefined) log.error({ aside, cause }, 'the database of the records is corrupt: put aside')
    else if (next === 'failed')
      log.error(
        { folder, trouble, cause },
        'records are kept in memory only: the database in DATA_DIR cannot be used',
      )
    if (next === 'failed') failures += 1
    state = next
    if (next === 'ok') own.databaseChanged()
  }

  const thread = keepThread<RecordsThreadCalls, RecordsListener>({
    launch: () => launchKeeper(start),
    functions: {
      changed: (change) => onChange(change),
      noted: (fields, message) => log.warn(fields, message),
    },
    errors: plainErrors,
    portOf: bundledPort,
    lost: () => new Error('the thread of the records has ended'),
    delays,
    clock: systemClock,
    onError: ({ message }) => log.error({ cause: message }, 'the thread of the records failed'),
    onEnded() {
      state = 'failed'
      failures += 1
    },
  })

  const unanswered = onceAMinute(
    (call: object, times) => log.error({ ...call, calls: times }, 'the records did not answer a call'),
    () => performance.now(),
  )
  // A call to a thread that has ended fails; the next thread gets only later ones.
  const calls = new Proxy({} as KeeperCalls, {
    get:
      (_target, name: keyof KeeperCalls) =>
      async (...args: never[]) => {
        const call = thread.calls[name] as (...all: never[]) => Promise<unknown>
        return call(...args).catch((error: unknown) => {
          unanswered({ call: name, cause: String(error) })
          throw new FarmError({ kind: 'unavailable' })
        })
      },
  })

  const own = ownRecords({ calls, state: () => state, now: Date.now, randomBytes })
  return {
    ...own,
    get state(): RecordsState {
      return state
    },
    /** How often the disk became unusable, or the thread ended, since the start. */
    get failures(): number {
      return failures
    },
    /** @returns undefined when the thread does not answer within a second */
    measured: (): Promise<Measured | undefined> =>
      withTimeLimit(measureTimeout, thread.calls.measured(), () => new Error('too late')).catch(
        () => undefined,
      ),
    /** Commits what waits; at most two seconds. */
    async close() {
      own.sendRows()
      await thread.close({ within: closeTimeout, call: (last) => last.close() })
      lock?.release()
    },
  }
}
