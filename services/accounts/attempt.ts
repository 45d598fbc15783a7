/**
 * A sign-in between its begin and its end. Nothing of it is stored: the state that the provider sends back is signed,
 * together with a secret that only the browser's cookie holds. So an answer counts once, in that browser, for ten
 * minutes.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { type ProviderId, providers } from '../../handlers/key-holder.ts'
import type { Clock } from '../../lib/clock.ts'
import { foreignValue } from '../../lib/foreign/read.ts'

export interface Attempt {
  readonly provider: ProviderId
  /** Local path of the page to show after sign-in. */
  readonly next: string
  /** Sent to the provider, and back. */
  readonly state: string
  /** Repeated in the ID token. */
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
}

/** Milliseconds. */
const lasts = 10 * 60_000
/** Maximum of remembered answers; the oldest are forgotten first. */
const maxUsed = 10_000
const secretBytes = 32

const signed = v.tuple([v.picklist(providers), v.string(), v.number(), v.string()])

interface AttemptParts extends Pick<Clock, 'now'> {
  readonly randomBytes: (size: number) => Uint8Array
}

export function attempts({ now, randomBytes }: AttemptParts) {
  const key = randomBytes(32)
  const random = () => Buffer.from(randomBytes(secretBytes)).toString('base64url')
  const sign = (what: string, text: string) => createHmac('sha256', key).update(`${what} ${text}`).digest()
  const used = new Map<string, number>()
  const attemptOf = (provider: ProviderId, next: string, state: string): Attempt => ({
    provider,
    next,
    state,
    nonce: sign('nonce', state).toString('base64url'),
    verifier: sign('verifier', state).toString('base64url'),
  })
  return {
    /** @returns also the secret for the browser's cookie */
    begin(provider: ProviderId, next: string): Attempt & { readonly secret: string } {
      const secret = random()
      const content = Buffer.from(JSON.stringify([provider, next, now(), random()])).toString('base64url')
      const state = `${content}~${sign('state', `${secret} ${content}`).toString('base64url')}`
      return { ...attemptOf(provider, next, state), secret }
    },
    /**
     * @param secrets of the browser's cookie: one for each tab in which a sign-in has begun
     * @returns undefined for a state that is not of this farm and browser, is too old, or was used
     */
    end(state: string | undefined, secrets: readonly string[]): Attempt | undefined {
      if (state === undefined) return undefined
      const [start = '', signature = ''] = state.split('~')
      const given = Buffer.from(signature, 'base64url')
      const isRight = secrets.some((secret) => {
        const right = sign('state', `${secret} ${start}`)
        return given.length === right.length && timingSafeEqual(given, right)
      })
      if (!isRight) return undefined
      const [provider, next, at] = v.parse(signed, foreignValue(Buffer.from(start, 'base64url')))
      if (used.has(state) || Math.abs(now() - at) > lasts) return undefined
      for (const [other, since] of used)
        if (used.size >= maxUsed || Math.abs(now() - since) > lasts) used.delete(other)
        else break
      used.set(state, now())
      return attemptOf(provider, next, state)
    },
  }
}
