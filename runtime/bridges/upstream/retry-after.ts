/** A game server, or a proxy before it, that limits farmgate (429) is left alone for as long as it asks. */
import { GameError } from '../../../handlers/game-error.ts'
import type { Log } from '../../log.ts'
import type { Clock } from './clock.ts'
import type { GameHttp } from './game-http.ts'

/** Seconds, for a 429 that says nothing of when, and at most. */
const usual = 5
const longest = 3600

/** The header's form in seconds (RFC 9110 section 10.2.3); its other form, a date, depends on the game's clock and is not used. */
export const retryAfterOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^[0-9]{1,9}$/.test(header) ? Math.min(longest, Number(header)) : undefined

/** Milliseconds between two lines of the log about it. */
const pause = 60_000

interface Options {
  readonly clock: Clock
  readonly log: Log
  /** Host and port of the game. */
  readonly address: string
}

/** Asks no resource again before its limit is over: such a call fails at once, and was not sent. */
export function obeyingRetryAfter(http: GameHttp, { clock, log, address }: Options): GameHttp {
  /** Milliseconds on the clock that only grows. */
  const until = new Map<string, number>()
  let toldAt = -Infinity
  const tell = (resource: string, seconds: number) => {
    if (clock.elapsed() - toldAt < pause) return
    toldAt = clock.elapsed()
    log.warn({ address, resource, seconds }, 'the game server limits how often farmgate may ask (429)')
  }
  return {
    async call(call) {
      const resource = `${call.method} ${call.path.split('?', 1)[0]}`
      const left = (until.get(resource) ?? -Infinity) - clock.elapsed()
      if (left > 0)
        throw new GameError({
          kind: 'unavailable',
          because: 'rate_limited',
          retryAfter: Math.ceil(left / 1000),
        })
      const answer = await http.call(call)
      if (answer.status !== 429) until.delete(resource)
      else {
        const seconds = answer.retryAfter ?? usual
        until.set(resource, clock.elapsed() + seconds * 1000)
        tell(resource, seconds)
      }
      return answer
    },
    get writesUnderWay() {
      return http.writesUnderWay
    },
    close: http.close,
  }
}
