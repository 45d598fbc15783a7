/** Who holds the key (contract section 2, Auth). Runs on Node and in workerd. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a key: what is kept and compared instead of the key. */
export const digestOf = (key: string): Uint8Array => createHash('sha256').update(key).digest()

export interface KeyCheck {
  /** A key is set; without one everybody may do everything. */
  readonly required: boolean
  /** Takes the same time however much of the key is right. */
  verify(key: string): boolean
}

/** No key is set. */
export const openToAll: KeyCheck = { required: false, verify: () => false }

/** @param digest SHA-256 of the key */
export const keyCheck = (digest: Uint8Array): KeyCheck => ({
  required: true,
  verify: (key) => timingSafeEqual(digestOf(key), digest),
})

/**
 * The key of an `Authorization` header: scheme `Bearer` in any case, value trimmed.
 * @returns undefined when the header is missing or has another form
 */
export function bearerKey(header: string | undefined): string | undefined {
  const found = header === undefined ? null : /^\s*bearer\s+(\S.*)$/i.exec(header)
  return found?.[1]?.trim()
}
