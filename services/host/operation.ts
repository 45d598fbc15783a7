/**
 * An operation on the game's process as a state machine without I/O, clock and timers. `run-operation.ts` reports the
 * facts about the game to it once a second, and the end of each effect; it returns the next state and the effects. A
 * game is never stopped while it saves, except with `force` after a night of five minutes.
 */
import { type GameProcess, isGone } from '../../handlers/game-host.ts'
import type { HostAction, HostRequest, OperationState } from '../../handlers/host-record.ts'

const minute = 60_000
/** Milliseconds of a night after which an operation fails, or with `force` no longer waits for its end. */
export const longestNight = 5 * minute
/** Milliseconds from the start of the process until the game answers. */
export const longestStart = 10 * minute
/** Milliseconds without a process during its start: a host that restarts a process automatically has gaps. */
const longestGap = 30_000

/** The present facts about the game. */
export interface Facts {
  /** Milliseconds, never running backwards. */
  readonly at: number
  /** Undefined while the game does not answer, or has no farm loaded. */
  readonly players: number | undefined
  /** A night is running, or was when the game last answered. */
  readonly isSaving: boolean
  /** The date in the game, as any text; empty while it is unknown. */
  readonly today: string
  /** `unknown`: the host does not answer. */
  readonly process: GameProcess['state'] | 'unknown'
  /** The game has answered since its process was started, and its main loop runs. */
  readonly isHealthy: boolean
  /** What must be done before the process is started, or why it must not be started, as a sentence. */
  readonly beforeStart: BeforeStart
  /** Whether the game plays the farm that it was to load; undefined while that is not known. */
  readonly isRightFarm: boolean | undefined
}

export type BeforeStart = 'nothing' | 'preparation' | { readonly refused: string }

export type Effect =
  /** Warns the players. Nothing waits for it. */
  | { readonly do: 'warn'; readonly minutes: number }
  /** Informs warned players that the game is not stopped after all. Nothing waits for it. */
  | { readonly do: 'call_off' }
  /** Each of these is reported to `step` when it has ended. */
  | { readonly do: 'backup' | 'stop' | 'prepare' | 'undo' | 'start' }

export interface Progress {
  readonly action: HostAction
  readonly request: HostRequest
  readonly state: OperationState
  /** Why it failed; one that changes the farm then starts the farm from before. */
  readonly error?: string
  /** It has failed, and the game plays the farm from before. */
  readonly isUndone?: true
  /** When this state began, as `Facts.at`. */
  readonly since: number
  /** When the warnings are over, and the minutes without a warning yet. */
  readonly stopsAt?: number
  readonly toWarn: readonly number[]
  /** Since when it would stop the game if no night were running. */
  readonly savingSince?: number
  /** Since when the night that is running now has been seen. */
  readonly nightSince?: number
  readonly hasSeenNight: boolean
  /** The date in the game when it began; only the next date shows a short night. */
  readonly beganOn: string
  /** A backup was made, or none is needed. */
  readonly isBackedUp: boolean
  /** Since when the process is missing although it was started. */
  readonly goneSince?: number
}

export type Happening =
  | { readonly type: 'looked' }
  /** @param remark what could not be put back, a sentence */
  | { readonly type: 'done'; readonly remark?: string }
  /** @param error a sentence @param isNight a backup that was not made because a night is running */
  | { readonly type: 'failed'; readonly error: string; readonly isNight?: boolean }
  | { readonly type: 'cancelled' }

export interface Step {
  readonly progress: Progress
  readonly effects: readonly Effect[]
}

const ends: ReadonlySet<OperationState> = new Set(['succeeded', 'failed', 'cancelled'])
export const hasEnded = ({ state }: { readonly state: OperationState }): boolean => ends.has(state)

/** The states before the game begins to stop. */
const before: ReadonlySet<OperationState> = new Set(['waiting', 'warning', 'saving', 'backing_up'])
export const canCancel = ({ state }: { readonly state: OperationState }): boolean => before.has(state)

/** The states that end with their effect, whatever is true of the game meanwhile. */
export const awaitsEffect = ({ state }: Pick<Progress, 'state'>): boolean =>
  state === 'backing_up' || state === 'stopping' || state === 'preparing' || state === 'starting'

/** @param needsBackup backups are set up */
export function begin(action: HostAction, request: HostRequest, facts: Facts, needsBackup: boolean): Step {
  const progress: Progress = {
    action,
    request,
    state: 'waiting',
    since: facts.at,
    toWarn: [],
    hasSeenNight: false,
    beganOn: facts.today,
    isBackedUp: !needsBackup || !request.backup,
  }
  return action === 'start' ? toStart(progress, facts) : looked(progress, facts)
}

/** A finished operation stays as it is. */
export function step(progress: Progress, happening: Happening, facts: Facts): Step {
  const { state, request } = progress
  const stays: Step = { progress, effects: [] }
  if (hasEnded(progress)) return stays
  switch (happening.type) {
    case 'looked':
      return looked(progress, facts)
    case 'cancelled':
      if (!canCancel(progress)) return stays
      return enter(
        progress,
        'cancelled',
        facts,
        ...(hasWarned(progress) ? [{ do: 'call_off' } as const] : []),
      )
    case 'done':
      if (state === 'backing_up') return toStop({ ...progress, isBackedUp: true }, facts)
      if (state === 'stopping') return stopped(progress, facts)
      if (state === 'preparing')
        return enter(remarked(progress, happening.remark), 'starting', facts, { do: 'start' })
      return state === 'starting' ? enter(progress, 'checking', facts) : stays
    case 'failed':
      if (state === 'backing_up' && request.force) return toStop({ ...progress, isBackedUp: true }, facts)
      if (state === 'backing_up' && happening.isNight && !isTooLong(progress.savingSince, facts))
        return enter(progress, 'saving', facts)
      // Where the game cannot be stopped, its next start at least loads the farm from before.
      if (state === 'stopping' && (isGone(facts.process) || isUndoing(progress)))
        return stopped(progress, facts)
      return fail(progress, facts, happening.error)
  }
}

const hasWarned = ({ stopsAt, request, toWarn }: Progress) =>
  stopsAt !== undefined && toWarn.length < request.warnMinutes.length

function enter(progress: Progress, state: OperationState, { at }: Facts, ...effects: Effect[]): Step {
  return { progress: { ...progress, state, since: at }, effects }
}

/** Operations after which the game is to play another farm, or the same one again when they fail. */
const changesFarm = ({ action }: Pick<Progress, 'action'>) => action === 'load_save' || action === 'new_farm'

/** The farm from before is being started again. */
export const isUndoing = (progress: Pick<Progress, 'action' | 'error'>): boolean =>
  changesFarm(progress) && progress.error !== undefined

function fail(progress: Progress, facts: Facts, error: string): Step {
  if (isUndoing(progress))
    return enter({ ...progress, error: `${progress.error}. ${notBack}: ${error}` }, 'failed', facts)
  const { goneSince: _, ...rest } = { ...progress, error }
  const hasChanged =
    progress.state === 'preparing' ||
    progress.state === 'starting' ||
    progress.state === 'checking' ||
    (progress.state === 'stopping' && isGone(facts.process))
  return changesFarm(progress) && hasChanged
    ? enter(rest, 'stopping', facts, { do: 'stop' })
    : enter(rest, 'failed', facts)
}

const remarked = (progress: Progress, remark: string | undefined): Progress =>
  remark === undefined ? progress : { ...progress, error: `${progress.error}. ${remark}` }

const notBack = 'The farm from before does not run'

const stopped = (progress: Progress, facts: Facts): Step =>
  progress.action === 'stop' ? enter(progress, 'succeeded', facts) : toStart(progress, facts)

function toStart(progress: Progress, facts: Facts): Step {
  if (isUndoing(progress)) return enter(progress, 'preparing', facts, { do: 'undo' })
  const { beforeStart } = facts
  if (typeof beforeStart === 'object') return fail(progress, facts, beforeStart.refused)
  return beforeStart === 'preparation'
    ? enter(progress, 'preparing', facts, { do: 'prepare' })
    : enter(progress, 'starting', facts, { do: 'start' })
}

/** Continues one that changes the farm, after farmgate ended during it. */
export function resume(progress: Progress, facts: Facts): Step {
  const isUnstopped = progress.state === 'stopping' && !isUndoing(progress) && !isGone(facts.process)
  if (canCancel(progress) || isUnstopped)
    return enter({ ...progress, error: 'farmgate ended before it stopped the game' }, 'failed', facts)
  if (isGone(facts.process)) return stopped(progress, facts)
  // What runs may have been started before the pointer was put back.
  const isUndone = !isUndoing(progress) || progress.state === 'starting' || progress.state === 'checking'
  return isUndone ? enter(progress, 'checking', facts) : enter(progress, 'stopping', facts, { do: 'stop' })
}

function looked(progress: Progress, facts: Facts): Step {
  const { state, request, stopsAt = 0, toWarn, since, goneSince } = progress
  switch (state) {
    case 'waiting': {
      if (isGone(facts.process)) return stopped(progress, facts)
      const beganOn = progress.beganOn || facts.today
      const hasSeenNight = progress.hasSeenNight || facts.isSaving || facts.today !== beganOn
      const isTime =
        request.when === 'now' ||
        (request.when === 'empty'
          ? facts.players === 0
          : hasSeenNight && !facts.isSaving && facts.players !== undefined)
      return isTime
        ? toWarning(progress, facts)
        : { progress: { ...progress, hasSeenNight, beganOn }, effects: [] }
    }
    case 'warning': {
      if (isGone(facts.process)) return stopped(progress, facts)
      if (facts.at >= stopsAt || facts.players === 0) return toStop(progress, facts)
      const due = toWarn.filter((minutes) => stopsAt - minutes * minute <= facts.at)
      const effects = due.slice(-1).map((minutes) => ({ do: 'warn', minutes }) as const)
      return { progress: { ...progress, toWarn: toWarn.slice(due.length) }, effects }
    }
    case 'saving':
      return isGone(facts.process) ? stopped(progress, facts) : toStop(progress, facts)
    case 'checking': {
      const isRight = changesFarm(progress) ? facts.isRightFarm : true
      if (facts.isHealthy && isRight === true)
        return isUndoing(progress)
          ? enter({ ...progress, isUndone: true }, 'failed', facts)
          : enter(progress, 'succeeded', facts)
      if (facts.isHealthy && isRight === false && !facts.isSaving)
        return fail(progress, facts, 'The game plays another farm than the one it was to load')
      if (facts.at - since >= longestStart)
        return fail(progress, facts, 'The game did not answer within ten minutes of its start')
      const { goneSince: _, ...rest } = progress
      if (!isGone(facts.process)) return { progress: rest, effects: [] }
      const gone = goneSince ?? facts.at
      if (facts.at - gone >= longestGap) return fail(progress, facts, 'The game ended after it was started')
      return { progress: { ...progress, goneSince: gone }, effects: [] }
    }
    default:
      return { progress, effects: [] }
  }
}

const isTooLong = (since: number | undefined, { at }: Facts) =>
  since !== undefined && at - since >= longestNight

const hasListeners = ({ players = 0 }: Facts) => players > 0

/** Why the game is not stopped: it must not be started again. */
const refusedStart = ({ action }: Progress, { beforeStart }: Facts): string | undefined =>
  action !== 'stop' && typeof beforeStart === 'object' ? beforeStart.refused : undefined

function toWarning(progress: Progress, facts: Facts): Step {
  const refused = refusedStart(progress, facts)
  if (refused !== undefined) return fail(progress, facts, refused)
  const [first, ...toWarn] = progress.request.warnMinutes
  if (first === undefined || !hasListeners(facts)) return toStop(progress, facts)
  const stopsAt = facts.at + first * minute
  return enter({ ...progress, stopsAt, toWarn }, 'warning', facts, { do: 'warn', minutes: first })
}

/** Lets a night end, then makes the backup, then stops the game. */
function toStop(progress: Progress, facts: Facts): Step {
  const { nightSince = facts.at, ...before } = progress
  const { request, savingSince = facts.at, isBackedUp } = before
  const saving = { ...before, savingSince, ...(facts.isSaving && { nightSince }) }
  if (facts.isSaving && !(request.force && isTooLong(nightSince, facts))) {
    if (isTooLong(nightSince, facts))
      return fail(
        saving,
        facts,
        'A night has lasted five minutes, or the game stands still, so it was not stopped. With force it is',
      )
    return progress.state === 'saving' ? { progress: saving, effects: [] } : enter(saving, 'saving', facts)
  }
  // A player has joined during the backup.
  if (request.when === 'empty' && facts.players !== 0) {
    const { savingSince: _, stopsAt: __, ...rest } = saving
    return enter(rest, 'waiting', facts)
  }
  const refused = refusedStart(progress, facts)
  if (refused !== undefined) return fail(progress, facts, refused)
  return isBackedUp
    ? enter(saving, 'stopping', facts, { do: 'stop' })
    : enter(saving, 'backing_up', facts, { do: 'backup' })
}
