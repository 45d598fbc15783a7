import * as v from 'valibot'
import { foreignValue, listOf } from '../../lib/foreign/read.ts'

/** The claims of a refresh token. */
export interface TokenClaims {
  /** The account, a decimal 64-bit id. */
  readonly steamId: string
  /** Expiry in milliseconds since 1970 by Steam's clock; undefined when the token has no `exp`. */
  readonly expiresAt: number | undefined
}

const day = 86_400_000

const claims = v.object({
  iss: v.literal('steam', 'it is not a refresh token but an access token'),
  sub: v.pipe(v.string(), v.regex(/^[0-9]{1,20}$/, 'it names no account')),
  // With a token without `derive`, steam-user ends the process with an unhandled rejection.
  aud: v.pipe(
    listOf(v.string(), 100),
    v.check((aud) => aud.includes('client'), 'it is for a website or phone, not for the client'),
    v.check((aud) => aud.includes('derive'), 'it is not a refresh token but an access token'),
  ),
  exp: v.optional(v.pipe(v.number(), v.finite())),
})

/** Reads a refresh token. @returns its claims, or the reason why it cannot be used, which never contains the token. */
export function readToken(
  token: string,
): { claims: TokenClaims; problem: undefined } | { claims: undefined; problem: string } {
  const parsed = v.safeParse(claims, decodePayload(token))
  if (!parsed.success) {
    const known = parsed.issues.find((issue) => issue.message.startsWith('it '))
    return { claims: undefined, problem: known?.message ?? 'it is not a token' }
  }
  const { sub, exp } = parsed.output
  return {
    claims: { steamId: sub, expiresAt: exp === undefined ? undefined : exp * 1000 },
    problem: undefined,
  }
}

/** @returns whole days left (negative when expired); undefined when the token has no expiry. */
export function daysLeft(expiresAt: number | undefined, now: number): number | undefined {
  return expiresAt === undefined ? undefined : Math.floor((expiresAt - now) / day)
}

function decodePayload(token: string): unknown {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  return foreignValue(Buffer.from(parts[1] ?? '', 'base64url'))
}
