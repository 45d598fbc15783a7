/**
 * The watchdog as a state machine without I/O, clock and timers: `watch-game.ts` reports to it what is true of the game, and
 * that an operation has ended; it returns what to report and what to do. Times are milliseconds that never run backwards.
 */
import { type GameProcess, isGone } from '../../handlers/game-host.ts'
import type { HostAction } from '../../handlers/host-record.ts'
import { longestStart } from './operation.ts'

const minute = 60_000
const hour = 60 * minute
/** Waits before the first, second and third restart of an hour. */
const waits = [0, minute, 5 * minute]
/** A night that lasts longer is reported. */
const longestNight = 15 * minute

export interface Sight {
  readonly at: number
  /** `unknown`: the host does not answer. */
  readonly process: GameProcess['state'] | 'unknown'
  /** See `GameProcess`. */
  readonly run: string | undefined
  /** Milliseconds since the process was started, by the wall clock; undefined where the host does not say so. */
  readonly age: number | undefined
  /** The API answers, and the main loop of the game runs. */
  readonly isAnswering: boolean
  /** Undefined while the game does not answer. */
  readonly isNight: boolean | undefined
  /** An operation is under way: the watchdog does nothing. */
  readonly isOperating: boolean
}

export interface Watch {
  readonly mode: 'notify' | 'restart'
  /** Milliseconds without an answer after which the game hangs. */
  readonly silence: number
  /**
   * Whether the game is to run: it was seen running, and no operation has stopped it. Undefined where farmgate has seen
   * neither.
   */
  readonly shouldRun: boolean | undefined
  readonly run?: string | undefined
  /** When it last answered, or could first have been expected to. */
  readonly answeredAt?: number | undefined
  /** The process has answered since it was started. */
  readonly hasAnswered: boolean
  readonly nightSince?: number | undefined
  readonly isNightReported: boolean
  /** Trouble that was reported and is not over. */
  readonly trouble?: 'crashed' | 'hung' | undefined
  /** When the game is restarted because of it. */
  readonly restartAt?: number | undefined
  /** The restarts of the last hour. */
  readonly restarts: readonly number[]
  readonly hasGivenUp: boolean
}

export type Action =
  | { readonly do: 'report'; readonly trouble: 'crashed' | 'no_answer' | 'night' }
  | { readonly do: 'restart'; readonly trouble: 'crashed' | 'hung' }
  | { readonly do: 'give_up' }

export interface Watched {
  readonly watch: Watch
  readonly actions: readonly Action[]
}

export const restartsThisHour = ({ restarts }: Watch, at: number): number =>
  restarts.filter((one) => at - one < hour).length

export function look(before: Watch, sight: Sight): Watched {
  const { at, process, run, age, isAnswering, isOperating } = sight
  if (isOperating) return { watch: { ...before, ...fresh(at) }, actions: [] }
  const [watch, night] = lookAtNight(before, sight)
  if (process === 'unknown') return { watch, actions: night }
  if (isGone(process)) {
    const still = { ...watch, run: undefined, hasAnswered: false, answeredAt: at }
    if (watch.shouldRun !== true) return { watch: still, actions: night }
    return troubled(still, at, 'crashed', night)
  }
  if (process === 'stopping') return { watch: { ...watch, answeredAt: at }, actions: night }
  const isOther = watch.run !== undefined && run !== undefined && watch.run !== run
  const known = { ...watch, shouldRun: true, ...(run !== undefined && { run }) }
  // It ended and was started again before it was looked at.
  if (isOther) {
    const again = {
      ...known,
      hasAnswered: isAnswering,
      answeredAt: at,
      trouble: undefined,
      restartAt: undefined,
    }
    const isNew = watch.trouble === undefined
    return { watch: again, actions: isNew ? [...night, { do: 'report', trouble: 'crashed' }] : night }
  }
  if (isAnswering) {
    const well = { ...known, answeredAt: at, hasAnswered: true, trouble: undefined, restartAt: undefined }
    const hasGivenUp = watch.hasGivenUp && restartsThisHour(watch, at) >= waits.length
    return { watch: { ...well, hasGivenUp }, actions: night }
  }
  const answeredAt = watch.answeredAt ?? at
  const waited = at - answeredAt
  // Also bounded by what never runs backwards, for a wall clock that does.
  const isYoung = process === 'starting' || (age !== undefined && age < longestStart)
  const isStarting = !watch.hasAnswered && isYoung && waited < longestStart
  const silent = {
    ...known,
    answeredAt,
    ...(watch.trouble === 'crashed' && { trouble: undefined, restartAt: undefined }),
  }
  return waited < watch.silence || isStarting
    ? { watch: silent, actions: night }
    : troubled(silent, at, 'hung', night)
}

/** Trouble that begins, or continues. */
function troubled(watch: Watch, at: number, trouble: 'crashed' | 'hung', before: readonly Action[]): Watched {
  const { mode, restartAt, hasGivenUp } = watch
  if (watch.trouble === trouble) {
    if (restartAt === undefined || at < restartAt) return { watch, actions: before }
    const restarts = [...watch.restarts.filter((one) => at - one < hour), at]
    return {
      watch: { ...watch, restartAt: undefined, restarts },
      actions: [...before, { do: 'restart', trouble }],
    }
  }
  const reported = [...before, { do: 'report', trouble: trouble === 'hung' ? 'no_answer' : trouble } as const]
  const began = { ...watch, trouble, restartAt: undefined }
  if (mode === 'notify') return { watch: began, actions: reported }
  const wait = waits[restartsThisHour(watch, at)]
  if (wait !== undefined) return troubled({ ...began, restartAt: at + wait }, at, trouble, reported)
  if (hasGivenUp) return { watch: began, actions: reported }
  return { watch: { ...began, hasGivenUp: true }, actions: [...reported, { do: 'give_up' }] }
}

function lookAtNight(watch: Watch, { at, isNight }: Sight): readonly [Watch, readonly Action[]] {
  if (isNight === undefined) return [watch, []]
  if (!isNight) return [{ ...watch, nightSince: undefined, isNightReported: false }, []]
  const nightSince = watch.nightSince ?? at
  if (watch.isNightReported || at - nightSince < longestNight) return [{ ...watch, nightSince }, []]
  return [{ ...watch, nightSince, isNightReported: true }, [{ do: 'report', trouble: 'night' }]]
}

/** Nothing is known yet of what an operation leaves behind. */
const fresh = (at: number) => ({
  run: undefined,
  answeredAt: at,
  hasAnswered: false,
  nightSince: undefined,
  isNightReported: false,
  trouble: undefined,
  restartAt: undefined,
})

/**
 * An operation has ended. One that was to start the game and has failed is trouble at the next look, unless the game runs
 * and answers.
 * @param isOwn the watchdog asked for it
 */
export function ended(
  watch: Watch,
  at: number,
  operation: { readonly action: HostAction; readonly state: string; readonly isOwn: boolean },
): Watch {
  const { action, state, isOwn } = operation
  const isDone = state === 'succeeded'
  const hasFailed = state === 'failed' && action !== 'stop'
  return {
    ...watch,
    ...fresh(at),
    shouldRun: action === 'stop' ? !isDone && watch.shouldRun : true,
    ...(hasFailed && { answeredAt: at - longestStart - watch.silence }),
    hasGivenUp: watch.hasGivenUp && (isOwn || !isDone),
  }
}

/** A restart could not begin: the trouble is new at the next look. */
export const notBegun = (watch: Watch): Watch => ({ ...watch, trouble: undefined })
