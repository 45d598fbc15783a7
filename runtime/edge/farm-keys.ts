/**
 * Checks the keys of a farm against their digests. The keys of the default farm are secrets of the Worker; the digests
 * of a fleet's farm are in the storage of its object.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, type KeyCheck } from '../http/keys.ts'
import type { EdgeEnv } from './env.ts'
import type { FarmStore, KeyKind, StoredKey } from './farm-store.ts'

export interface FarmKeys extends KeyCheck {
  /** Whether the farm has keys: it was created and not revoked, or it is the default farm and its secrets are set. */
  readonly isKnown: boolean
  /**
   * The id of a key, which is attached to a socket instead of the key itself. Compares in constant time.
   * @returns undefined for a wrong key
   */
  idOf(kind: KeyKind, key: string): string | undefined
  /** Whether the key with this id is still valid. */
  isGood(kind: KeyKind, id: string): boolean
  /** When the next replaced key ends, milliseconds since 1970; undefined when none does. */
  readonly nextEnd: number | undefined
}

/**
 * @param isDefault whether this is the farm at the root paths
 * @param now milliseconds since 1970
 */
export function farmKeys(store: FarmStore, env: EdgeEnv, isDefault: boolean, now: () => number): FarmKeys {
  const keys = isDefault ? { api: secretKey(env.API_KEY), link: secretKey(env.LINK_KEY) } : store.keys()
  /** Digests of the keys that are valid now. */
  const good = (kind: KeyKind): readonly Uint8Array[] => {
    const { digest, old } = keys?.[kind] ?? {}
    if (digest === undefined) return []
    return old !== undefined && now() < old.endsAt ? [digest, old.digest] : [digest]
  }
  const idOf = (kind: KeyKind, key: string): string | undefined => {
    const shown = digestOf(key)
    const found = good(kind).filter((digest) => timingSafeEqual(shown, digest))[0]
    return found && idOfDigest(found)
  }
  const ends = [keys?.api?.old?.endsAt, keys?.link?.old?.endsAt].filter((at) => at !== undefined)
  return {
    required: true,
    isKnown: keys?.api !== undefined,
    verify: (key) => idOf('api', key) !== undefined,
    idOf,
    isGood: (kind, id) => good(kind).some((digest) => idOfDigest(digest) === id),
    nextEnd: ends.length > 0 ? Math.min(...ends) : undefined,
  }
}

/** The first eight bytes of a digest as hexadecimal digits; enough to distinguish the keys of one farm. */
const idOfDigest = (digest: Uint8Array): string =>
  [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const secretKey = (secret: string | undefined): StoredKey | undefined => {
  const digest = digestOfSecret(secret)
  return digest && { digest }
}

/** @returns undefined for a secret that is not set */
export const digestOfSecret = (secret: string | undefined): Uint8Array | undefined =>
  secret === undefined || secret === '' ? undefined : digestOf(secret)
