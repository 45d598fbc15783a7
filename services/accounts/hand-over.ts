/**
 * The secret of a new session on its way to the page that gets it. The callback's redirect has a one-time code in the
 * fragment of the page's address: no page of another origin reads that, another port of the host included, and none can
 * make the browser send it. The page exchanges the code for the secret.
 */
import type { Clock } from '../../lib/clock.ts'

interface HandOverParts extends Pick<Clock, 'now'> {
  /** A new random text. */
  readonly secret: () => string
  readonly digest: (code: string) => string
}

/** Milliseconds in which the page must exchange the code. */
const lasts = 2 * 60_000
/** Maximum of secrets that wait; the oldest are forgotten first. */
const maxWaiting = 1000

export function handOver({ now, secret: random, digest }: HandOverParts) {
  const waiting = new Map<string, { readonly secret: string; readonly at: number }>()
  const forgetOld = () => {
    for (const [code, { at }] of waiting)
      if (waiting.size > maxWaiting || Math.abs(now() - at) > lasts) waiting.delete(code)
      else return
  }
  return {
    /** @returns a new secret, and the code for it */
    begin(): { readonly secret: string; readonly code: string } {
      const [secret, code] = [random(), random()]
      waiting.set(digest(code), { secret, at: now() })
      forgetOld()
      return { secret, code }
    },
    /** @returns the secret, once; undefined for a code that is unknown, used or too old */
    end(code: string): string | undefined {
      forgetOld()
      const known = digest(code)
      const found = waiting.get(known)
      waiting.delete(known)
      return found?.secret
    },
  }
}
