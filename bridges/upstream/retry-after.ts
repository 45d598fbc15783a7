/** Obeys rate limits (429) of the game server, or of a proxy before it: waits as long as `Retry-After` says. */
import { FarmError } from '../../handlers/farm-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { minutely } from '../../lib/once-a-minute.ts'
import type { GameHttp } from './game-http.ts'

/** Seconds to wait after a 429 without `Retry-After`. */
const defaultRetryAfter = 5

interface Options {
  readonly clock: Clock
  readonly log: Log
  /** Host and port of the game. */
  readonly address: string
}

/** Wraps the HTTP client: a call of a resource whose rate limit is not over fails at once and is not sent. */
export function obeyingRetryAfter(http: GameHttp, { clock, log, address }: Options): GameHttp {
  /** By method and path, when the limit is over, in milliseconds of `clock.monotonic`. */
  const until = new Map<string, number>()
  const isLineDue = minutely(clock.monotonic)
  return {
    async call(call) {
      const resource = `${call.method} ${call.path.split('?', 1)[0]}`
      const left = (until.get(resource) ?? -Infinity) - clock.monotonic()
      if (left > 0)
        throw new FarmError({
          kind: 'unavailable',
          because: 'rate_limited',
          retryAfter: Math.ceil(left / 1000),
        })
      const answer = await http.call(call)
      if (answer.status !== 429) until.delete(resource)
      else {
        const seconds = answer.retryAfter ?? defaultRetryAfter
        until.set(resource, clock.monotonic() + seconds * 1000)
        if (isLineDue())
          log.warn({ address, resource, seconds }, 'the game server limits how often farmgate may ask (429)')
      }
      return answer
    },
    get writesUnderWay() {
      return http.writesUnderWay
    },
    close: http.close,
  }
}
