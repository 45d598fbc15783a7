/**
 * How much the farm accepts from its edge (docs/security.md, "The edge and the link"). Only these limits stop an attacker who
 * controls the edge, because the edge itself enforces those of each client. They count across links, so reopening the link
 * gains nothing.
 */
import { rates as chatRates } from '../../../handlers/chat/rates.ts'
import type { FarmFailure } from '../../../handlers/farm-error.ts'
import type { Log } from '../../../lib/log.ts'
import { countedNotice } from '../../../lib/once-a-minute.ts'
import { RateLimit, type Rates } from '../../../lib/rate-limit.ts'

/** Maximum of calls that the game has not ended yet. */
const maxCalls = 256
/** The link has the allowances of this many clients. */
const clients = 10
/** Frames a minute, without calls and their cancels. */
const framesPerMinute = 30_000
/** Calls a minute with wrong arguments; an edge checks them before. */
const wrongCallsPerMinute = 60

/**
 * `records`: what the edge notes of each write and chat line that it refuses, and with which key. `pieces`: of
 * downloads and uploads, so that these leave the other reads alone.
 */
export type CallKind = 'reads' | 'pieces' | 'writes' | 'chat' | 'records'

export type EdgeLimits = ReturnType<typeof edgeLimits>

/**
 * @param rates of the HTTP API of this process, a minute; 0 is unlimited
 * @param monotonic milliseconds, never running backwards
 */
export function edgeLimits(
  rates: Pick<Rates, 'reads' | 'writes'>,
  log: Pick<Log, 'warn'>,
  monotonic: () => number,
) {
  const chat = clients * chatRates.lines.perSecond * 60
  const writes = clients * rates.writes
  const perMinute: Readonly<Record<CallKind, number>> = {
    reads: clients * rates.reads,
    pieces: clients * rates.reads,
    writes,
    chat,
    records: writes === 0 ? 0 : writes + chat,
  }
  const limit = (kind: CallKind) => new RateLimit(perMinute[kind], monotonic)
  const limits = {
    reads: limit('reads'),
    pieces: limit('pieces'),
    writes: limit('writes'),
    chat: limit('chat'),
    records: limit('records'),
  }
  const frames = new RateLimit(framesPerMinute, monotonic)
  const wrongCalls = new RateLimit(wrongCallsPerMinute, monotonic)
  const refused = countedNotice(monotonic, (calls) =>
    log.warn({ calls }, 'calls of the edge were refused: more than the farm takes'),
  )
  let underWay = 0
  const failureOf = (kind: CallKind, times: number): FarmFailure | undefined => {
    if (underWay >= maxCalls) return { kind: 'unavailable' }
    const retryAfter = limits[kind].take('edge', times)
    return retryAfter > 0 ? { kind: 'unavailable', because: 'rate_limited', retryAfter } : undefined
  }
  return {
    /**
     * Counts a call before it is made. If it is allowed, call `callEnded` at its end.
     * @param times how often it counts
     * @returns the failure to answer with if it is not allowed
     */
    refusalOf(kind: CallKind, times = 1): FarmFailure | undefined {
      const failure = failureOf(kind, times)
      if (failure === undefined) underWay += 1
      else refused.count()
      return failure
    },
    /** The game has ended a call, whether or not the edge still waits for it. */
    callEnded() {
      underWay -= 1
    },
    /** Counts any other frame. @returns false when there are too many: close the link */
    takesFrame: (): boolean => frames.take('edge') === 0,
    /** Counts a call with wrong arguments. @returns false when there are too many: close the link */
    takesWrongCall: (): boolean => wrongCalls.take('edge') === 0,
    /** Call this every second: logs how many calls were refused, at most once a minute. */
    report: refused.report,
  }
}
