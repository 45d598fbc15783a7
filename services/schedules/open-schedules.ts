/** The schedules of a farm. Each run calls an endpoint, as a client with the key of the schedule's maker would. */
import { isWarned, scheduledCall } from '../../handlers/endpoints/scheduled-endpoints.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { hostRequest, isFalling, someMinutes } from '../../handlers/host-record.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { apiKeyHolder, isNamed, type KeyHolder, withoutKey } from '../../handlers/key-holder.ts'
import type { OwnDispatch } from '../../handlers/own-call.ts'
import {
  aCron,
  aZone,
  type ScheduleRecord,
  type ScheduleRequest,
  type ScheduleRun,
} from '../../handlers/schedule-record.ts'
import type { Schedules } from '../../handlers/schedules.ts'
import type { Clock } from '../../lib/clock.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { keyPrefix } from '../../lib/keys.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import type { OwnRecords } from '../records/own-records.ts'
import type { StoredSchedule } from '../records/schedules-table.ts'
import { requireAdded } from '../records/within-limit.ts'
import { isTimeZone, nextTime, readCron } from './cron-times.ts'
import { nextDue, nextStep, type Step } from './next-step.ts'

export interface SchedulesParts extends Pick<Clock, 'now'> {
  readonly calls: Pick<
    OwnRecords['calls'],
    'storedSchedules' | 'addSchedule' | 'keepSchedule' | 'deleteSchedule' | 'storedAccounts'
  >
  readonly game: Pick<GameBridge, 'players'>
  readonly keys: Pick<KeyRing, 'named' | 'required'>
  readonly dispatch: OwnDispatch
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly randomBytes: (size: number) => Uint8Array
}

export type OpenSchedules = ReturnType<typeof openSchedules>

type Ended = Pick<ScheduleRun, 'outcome' | 'detail'> & { readonly disabledBecause?: string }

const minute = 60_000
const operationBegun = 'The operation has begun; the list of operations shows how it ends'
const interrupted = 'farmgate stopped during this run; whether the action was made is unknown'

export function openSchedules(parts: SchedulesParts) {
  const { calls, game, keys, dispatch, log, now, randomBytes } = parts
  /** Active runs, with the schedule's last run before them. */
  const underWay = new Map<
    string,
    { readonly end: Promise<ScheduleRun | undefined>; readonly before?: ScheduleRun }
  >()
  const changes = oneAtATime()
  let seen: number | undefined
  let isClosed = false

  /**
   * @param to returns undefined to leave it unchanged @returns the changed one; undefined when there is none, or no
   * change
   */
  const change = (id: string, to: (found: StoredSchedule) => StoredSchedule | undefined) =>
    changes.run(async () => {
      const found = (await calls.storedSchedules()).find((one) => one.id === id)
      const changed = found && to(found)
      if (changed !== undefined) await calls.keepSchedule(changed)
      return changed
    })

  const recordOf = ({ maker: _, createdAt: __, ranUpTo: ___, dueAt, last, ...shown }: StoredSchedule) => {
    const running = underWay.get(shown.id)
    const shownLast = running === undefined ? last : running.before
    return {
      ...shown,
      nextAt: dueAt === undefined ? null : isoTime(dueAt),
      ...(shownLast !== undefined && { last: shownLast }),
    } satisfies ScheduleRecord
  }

  /** @throws {FarmError} invalid_argument */
  const due = (schedule: StoredSchedule): StoredSchedule => {
    checkTimes(schedule, now())
    return { ...schedule, dueAt: schedule.enabled ? nextDue(schedule, now()) : undefined }
  }

  async function act({ do: action, warnMinutes, onlyWhenEmpty, maker }: StoredSchedule): Promise<Ended> {
    const holder = await holderOf(maker, keys, () => calls.storedAccounts(now()))
    const { endpoint, ...sent } = scheduledCall(action, warnMinutes)
    const lost = (why: string): Ended => {
      const disabledBecause = `${maker.name}, who made this schedule, ${why}`
      return { outcome: 'failed', detail: disabledBecause, disabledBecause }
    }
    if (holder === undefined) return lost('has no valid key any more')
    // A game that is not running has no players.
    if (onlyWhenEmpty && endpoint.operationId !== 'startGame') {
      const count = await game.players('now').then(
        ({ players }) => players.length,
        () => undefined,
      )
      if (count === undefined)
        return { outcome: 'failed', detail: 'The game does not say whether players are connected' }
      if (count > 0) return { outcome: 'skipped', detail: `Players connected: ${count}` }
    }
    const answer = await dispatch({
      operationId: endpoint.operationId,
      ...sent,
      holder,
    })
    if (!('problem' in answer)) {
      const hasBegun = 'status' in answer && answer.status === 202
      return { outcome: 'succeeded', ...(hasBegun && { detail: operationBegun }) }
    }
    const { code, message, details } = answer.problem
    if (code === 'unauthorized') return lost('has no valid key any more')
    if (code === 'insufficient_scope') return lost(`lacks the scope ${details.scope}`)
    return { outcome: 'failed', detail: message }
  }

  /**
   * @param planned its time; undefined when it is run by hand @returns undefined when it was deleted or changed
   * meanwhile
   */
  async function run(schedule: StoredSchedule, planned?: Step): Promise<ScheduleRun | undefined> {
    const { id, name } = schedule
    const at = isoTime(now())
    // Written before the run, so that a process that is killed during it does not run it again.
    const begun = { at, outcome: 'failed', detail: interrupted } as const
    const isBegun = await change(id, (found) => {
      if (planned === undefined) return { ...found, last: begun }
      if (found.dueAt !== schedule.dueAt) return undefined
      return { ...found, dueAt: planned.dueAt, ranUpTo: planned.run, last: begun }
    })
    if (isBegun === undefined) return undefined
    const { disabledBecause, ...end } = await act(schedule)
    const missed = planned?.missed
    const also = missed === undefined ? [] : [`Runs since ${isoTime(missed)} were missed`]
    const detail = [end.detail, ...also].filter((one) => one !== undefined).join('. ')
    const last: ScheduleRun = { at, outcome: end.outcome, ...(detail !== '' && { detail }) }
    const disabled = disabledBecause !== undefined && { enabled: false, dueAt: undefined, disabledBecause }
    await change(id, (found) => ({ ...found, last, ...disabled }))
    const fields = { schedule: id, name, ...last }
    if (last.outcome === 'failed') log.warn(fields, 'a run of a schedule has failed')
    else log.info(fields, 'a schedule has run')
    return last
  }

  /** Joins an active run. */
  const begin = (...[schedule, planned]: Parameters<typeof run>): ReturnType<typeof run> => {
    const { id, last: before } = schedule
    const running = underWay.get(id)
    if (running !== undefined) return running.end
    const end = run(schedule, planned).finally(() => underWay.delete(id))
    underWay.set(id, { end, ...(before !== undefined && { before }) })
    return end
  }

  async function look(schedule: StoredSchedule): Promise<void> {
    const { id, name, enabled } = schedule
    if (!enabled || underWay.has(id)) return
    const step = nextStep(schedule, now())
    const { run: planned, missed, dueAt } = step
    if (missed !== undefined)
      log.warn({ schedule: id, name, since: isoTime(missed) }, 'runs of a schedule were missed')
    if (planned !== undefined) await begin(schedule, step)
    else if (dueAt !== schedule.dueAt) {
      const last = missed !== undefined && { last: { at: isoTime(missed), outcome: 'missed' as const } }
      await change(id, (found) => (found.dueAt === schedule.dueAt ? { ...found, dueAt, ...last } : undefined))
    }
  }

  return {
    port: {
      schedules: async () => (await calls.storedSchedules()).map(recordOf),
      async makeSchedule({ warnMinutes, ...request }, maker) {
        const stored = due({
          ...request,
          warnMinutes: [
            ...(warnMinutes ?? (isWarned(request.do) ? hostRequest.entries.warnMinutes.default : [])),
          ],
          id: Buffer.from(randomBytes(6)).toString('hex'),
          maker: makerOf(maker),
          createdAt: now(),
        })
        requireAdded('schedules', await calls.addSchedule(stored))
        return recordOf(stored)
      },
      async changeSchedule(id, request, caller) {
        const changed = await change(id, ({ disabledBecause, ...found }) => {
          const isRevived = request.enabled === true && disabledBecause !== undefined
          const { warnMinutes = isWarned({ ...found, ...request }.do) ? found.warnMinutes : [] } = request
          const kept = !isRevived && disabledBecause !== undefined && { disabledBecause }
          return due({
            ...found,
            ...request,
            warnMinutes,
            ...(isRevived && { maker: makerOf(caller) }),
            ...kept,
          })
        })
        return changed && recordOf(changed)
      },
      deleteSchedule: (id) => changes.run(() => calls.deleteSchedule(id, now())),
      async runSchedule(id) {
        const found = (await calls.storedSchedules()).find((one) => one.id === id)
        return found && begin(found)
      },
    } satisfies Schedules,
    /** Call this every second. */
    async tick() {
      const current = Math.floor(now() / minute)
      // Cron has minutes. A clock that is set changes the minute too.
      if (isClosed || current === seen || keys.named === undefined) return
      seen = current
      try {
        for (const schedule of await calls.storedSchedules())
          look(schedule).catch(() => {
            seen = undefined
          })
      } catch {
        // The records do not answer, which they log themselves.
        seen = undefined
      }
    },
    /** @returns when no run is active any more; none begins */
    async close() {
      isClosed = true
      await Promise.allSettled([...underWay.values()].map(({ end }) => end))
    },
  }
}

/** The beginning of the `ref` of a person: a schedule outlives the session in which it was made. */
const accountPrefix = 'account_'

/** API_KEY has another `ref` at the edge. */
const makerOf = (holder: KeyHolder): StoredSchedule['maker'] => {
  const { id, name, ref, account } = holder
  if (account !== undefined) return { id: account.id, name, ref: `${accountPrefix}${account.id}` }
  return { id, name, ref: isNamed(holder) ? ref : id }
}

/** @returns undefined where it has lost its rights; the dispatcher reads a named key again, with its scopes */
async function holderOf(
  maker: StoredSchedule['maker'],
  { required }: Pick<KeyRing, 'required'>,
  storedAccounts: () => ReturnType<SchedulesParts['calls']['storedAccounts']>,
): Promise<KeyHolder | undefined> {
  if (maker.ref.startsWith(accountPrefix)) {
    const account = (await storedAccounts()).find(({ id }) => id === maker.id)
    if (account === undefined) return undefined
    const { id, provider, name, scopes, groupScopes } = account
    return { ...maker, scopes: [...scopes, ...groupScopes], account: { id, provider, name } }
  }
  if (maker.ref.startsWith(keyPrefix)) return { ...maker, scopes: [] }
  if (maker.id === withoutKey.id) return required ? undefined : withoutKey
  return maker.id === apiKeyHolder().id ? apiKeyHolder() : undefined
}

/** @throws {FarmError} invalid_argument */
function checkTimes({ cron, timeZone, warnMinutes, do: action }: StoredSchedule, now: number): void {
  const refuse = (parameter: keyof ScheduleRequest, sentence: string) =>
    new FarmError({ kind: 'invalid_argument', parameter, sentence })
  if (readCron(cron) === undefined) throw refuse('cron', aCron)
  if (!isTimeZone(timeZone)) throw refuse('timeZone', aZone)
  if (nextTime(cron, timeZone, now) === undefined) throw refuse('cron', "No day fits member 'cron'")
  if (warnMinutes.length > 0 && !isWarned(action))
    throw refuse('warnMinutes', "Member 'warnMinutes' is for the actions restart and stop")
  if (!isFalling(warnMinutes)) throw refuse('warnMinutes', someMinutes)
}
