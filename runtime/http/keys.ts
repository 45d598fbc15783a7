/** Checks API keys; on Node and in workerd. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a key: what is kept and compared instead of the key. */
export const digestOf = (key: string): Uint8Array => createHash('sha256').update(key).digest()

export interface KeyCheck {
  /** Whether a key is set; without one every caller may do everything. */
  readonly required: boolean
  /** Compares in constant time. */
  verify(key: string): boolean
}

/** No key is set. */
export const openToAll: KeyCheck = { required: false, verify: () => false }

/** @param digest SHA-256 of the key */
export function keyCheck(digest: Uint8Array): KeyCheck {
  // The key itself, after it was shown once: comparing two texts costs much less than a digest for each request.
  let verified = ''
  return {
    required: true,
    verify(key) {
      if (isSame(key, verified)) return true
      if (!timingSafeEqual(digestOf(key), digest)) return false
      verified = key
      return true
    },
  }
}

/** Compares every UTF-16 unit of `shown`, so that the time it takes does not depend on `known`. */
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
