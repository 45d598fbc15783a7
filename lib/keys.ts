/** Checks API keys; on Node and in workerd. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { apiKeyHolder, type KeyHolder, withoutKey } from '../handlers/key-holder.ts'
import { hasEnded } from './has-ended.ts'

/** SHA-256 of a key: stored and compared instead of the key. */
export const digestOf = (key: string): Uint8Array => createHash('sha256').update(key).digest()

/** The digest as records keep it. */
export const hexDigestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

export interface KeyCheck {
  /** Whether a key is set; without one every caller may do everything. */
  readonly required: boolean
  /** Compares in constant time. @returns undefined for a wrong key, and for one that was revoked or has expired */
  verify(key: string): KeyHolder | undefined
  /**
   * Checks a session. @param proof as `sessionProof` makes it
   * @returns undefined unless the cookie and the page's secret belong to one session that has not ended
   */
  session(proof: string): KeyHolder | undefined
  /** The current holder; undefined when its key was revoked or replaced, or has expired. */
  current(holder: KeyHolder): KeyHolder | undefined
}

/** No key is set. */
export const openToAll: KeyCheck = {
  required: false,
  verify: () => undefined,
  session: () => undefined,
  current: () => withoutKey,
}

/** A key of which only the digest is known. */
export interface KnownKey {
  readonly holder: KeyHolder
  /** SHA-256 of the key. */
  readonly digest: Uint8Array
  /** Milliseconds since 1970; undefined when it does not expire. */
  readonly expiresAt?: number | undefined
}

interface Remembered extends KnownKey {
  /**
   * The key itself, after a caller sent it once: comparing two texts costs much less than a digest each time. It is a
   * copy, because the sent key is a part of its header's text, and reading such a text costs twice as much.
   */
  text: string
}

/** A named key or a session, as it is stored and as the farm sends it to the edge. */
export interface NamedKey extends Pick<KeyHolder, 'id' | 'name' | 'scopes' | 'account'> {
  /** SHA-256 of the whole key. */
  readonly digest: Uint8Array
  /** Milliseconds since 1970; undefined when it does not expire. */
  readonly expiresAt?: number | undefined
}

/** The beginning of every named key: `fg_<id>_<secret>`. */
export const keyPrefix = 'fg_'

/** The beginning of what the cookie of a session holds: `fs_<id>_<secret>`. It does not work in an `Authorization` header. */
export const sessionPrefix = 'fs_'

/**
 * What proves a session: the cookie, which every port of the host gets, with the secret that only the origin of the page
 * keeps. The SHA-256 of both together is stored, so no session counts with one of them.
 */
export const sessionProof = (cookie: string, secret: string): string => `${cookie}.${secret}`

export const knownKey = ({ id, name, scopes, account, digest, expiresAt }: NamedKey): KnownKey => ({
  holder: { id, name, scopes, ref: `${keyPrefix}${id}`, ...(account !== undefined && { account }) },
  digest,
  expiresAt,
})

/** Checks API_KEY where there is no other key. @param digest SHA-256 of the key */
export const keyCheck = (digest: Uint8Array): KeyCheck =>
  checkKeys([{ holder: apiKeyHolder(), digest }], [], () => 0)

/**
 * @param unnamed the API_KEY; at the edge also the one that it replaced
 * @param named found by the id in each key
 * @param now milliseconds since 1970
 */
export function checkKeys(
  unnamed: readonly KnownKey[],
  named: readonly KnownKey[],
  now: () => number,
): KeyCheck {
  const remembered = (known: KnownKey): Remembered => ({ ...known, text: '' })
  const [apiKeys, namedKeys] = [unnamed.map(remembered), named.map(remembered)]
  const byRef = new Map([...apiKeys, ...namedKeys].map((known) => [known.holder.ref, known]))
  const byId = new Map(namedKeys.map((known) => [known.holder.id, known]))
  const goodHolder = (known: KnownKey) => (hasEnded(known, now()) ? undefined : known.holder)
  const byPrefix = (key: string, prefix: string) =>
    key.startsWith(prefix) ? byId.get(key.slice(prefix.length, key.indexOf('_', prefix.length))) : undefined
  return {
    required: true,
    session(proof) {
      const known = byPrefix(proof, sessionPrefix)
      if (known === undefined) return undefined
      if (!isSame(proof, known.text)) {
        if (!timingSafeEqual(digestOf(proof), known.digest)) return undefined
        known.text = [...proof].join('')
      }
      return goodHolder(known)
    },
    verify(key) {
      const known = byPrefix(key, keyPrefix)
      if (known !== undefined && isSame(key, known.text)) return goodHolder(known)
      for (const one of apiKeys) if (isSame(key, one.text)) return goodHolder(one)
      const digest = digestOf(key)
      const candidates = known === undefined ? apiKeys : [known, ...apiKeys]
      const found = candidates.filter((candidate) => timingSafeEqual(digest, candidate.digest))[0]
      if (found === undefined || hasEnded(found, now())) return undefined
      found.text = [...key].join('')
      return found.holder
    },
    current({ ref }) {
      const known = byRef.get(ref)
      return known && goodHolder(known)
    },
  }
}

/** Compares every UTF-16 unit of `shown`, so that the time does not depend on `known`. */
function isSame(shown: string, known: string): boolean {
  let difference = shown.length ^ known.length
  for (let at = 0; at < shown.length; at += 1) difference |= shown.charCodeAt(at) ^ known.charCodeAt(at)
  return difference === 0 && known !== ''
}

/**
 * The key of an `Authorization` header: scheme `Bearer` in any case, value trimmed.
 * @returns undefined when the header is missing or has another form
 */
export function bearerKey(header: string | undefined): string | undefined {
  const found = header === undefined ? null : /^\s*bearer\s+(\S.*)$/i.exec(header)
  return found?.[1]?.trim()
}
