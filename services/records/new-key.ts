import type { KeyRequest } from '../../handlers/key-record.ts'
import { digestOf } from '../../lib/keys.ts'
import type { StoredKey } from './keys-table.ts'

const secretBytes = 32
const idBytes = 6
const minute = 60_000
const day = 1440 * minute

/**
 * Makes a key: `fg_<id>_<secret>`.
 * @param now milliseconds since 1970
 * @returns the key itself, and the stored part of it
 */
export function newKey(
  { name, scopes, expiresInDays, expiresInMinutes }: KeyRequest,
  now: number,
  randomBytes: (size: number) => Uint8Array,
): { readonly key: string; readonly stored: StoredKey } {
  // Hexadecimal, because `_` of base64url would end the id within the key.
  const id = Buffer.from(randomBytes(idBytes)).toString('hex')
  const key = `fg_${id}_${Buffer.from(randomBytes(secretBytes)).toString('base64url')}`
  return {
    key,
    stored: {
      id,
      name,
      scopes: [...new Set(scopes)],
      digest: digestOf(key),
      createdAt: now,
      ...(expiresInDays !== undefined && { expiresAt: now + expiresInDays * day }),
      ...(expiresInMinutes !== undefined && { expiresAt: now + expiresInMinutes * minute }),
    },
  }
}
