/**
 * Values that wait for someone who has a one-time code for them. Only the digest of a code is kept. A restart forgets
 * them all.
 */
import type { Clock } from './clock.ts'
import { hexDigestOf } from './keys.ts'

interface HandOverParts extends Pick<Clock, 'now'> {
  /** Milliseconds in which a code must be used. */
  readonly lasts: number
  readonly randomBytes: (size: number) => Uint8Array
}

/** Maximum of values that wait; the oldest are forgotten first. */
const maxWaiting = 1000

export function handOver<Value>({ now, lasts, randomBytes }: HandOverParts) {
  const waiting = new Map<string, { readonly value: Value; readonly at: number }>()
  const isOld = (at: number) => Math.abs(now() - at) > lasts
  const forgetOld = () => {
    for (const [known, { at }] of waiting)
      if (waiting.size > maxWaiting || isOld(at)) waiting.delete(known)
      else return
  }
  return {
    /** @returns the code for a value, and until when it is good, milliseconds since 1970 */
    begin(value: Value): { readonly code: string; readonly expiresAt: number } {
      const code = Buffer.from(randomBytes(32)).toString('base64url')
      waiting.set(hexDigestOf(code), { value, at: now() })
      forgetOld()
      return { code, expiresAt: now() + lasts }
    },
    /**
     * @returns the value, once; undefined for a code that is unknown, used or too old. `giveBack` undoes it: the code
     * is good again until its end
     */
    end(code: string): { readonly value: Value; giveBack(): void } | undefined {
      const known = hexDigestOf(code)
      const found = waiting.get(known)
      waiting.delete(known)
      if (found === undefined || isOld(found.at)) return undefined
      return {
        value: found.value,
        giveBack() {
          waiting.set(known, found)
        },
      }
    },
  }
}
