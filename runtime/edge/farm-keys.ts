/**
 * Checks the keys of a farm against their digests. The keys of the default farm are secrets of the Worker; the digests
 * of a fleet's farm are in the storage of its object, and so are those of the named keys, as the farm last sent them.
 */
import { apiKeyHolder } from '../../handlers/key-holder.ts'
import { hasEnded } from '../../lib/has-ended.ts'
import { checkKeys, digestOf, type KnownKey, knownKey } from '../../lib/keys.ts'
import type { EdgeEnv } from './env.ts'
import type { FarmStore } from './farm-store.ts'
import type { StoredKey } from './key-store.ts'

export type FarmKeys = ReturnType<typeof farmKeys>

/**
 * @param isDefault whether this is the farm at the root paths
 * @param now milliseconds since 1970
 */
export function farmKeys(store: FarmStore, env: EdgeEnv, isDefault: boolean, now: () => number) {
  const stored = isDefault ? { api: secretKey(env.API_KEY), link: secretKey(env.LINK_KEY) } : store.keys()
  const [api, link] = [knownKeys(stored?.api), knownKeys(stored?.link)]
  const named = stored?.api === undefined ? [] : store.namedKeys().map(knownKey)
  const links = checkKeys(link, [], now)
  const ends = [...api, ...link, ...named.filter((one) => !hasEnded(one, now()))]
    .map(({ expiresAt }) => expiresAt)
    .filter((at) => at !== undefined)
  return {
    ...checkKeys(api, named, now),
    /** Whether the farm has keys: it was created and not revoked, or it is the default farm and its secrets are set. */
    isKnown: stored?.api !== undefined,
    /**
     * The id of a link key, which is attached to a socket instead of the key itself. Compares in constant time.
     * @returns undefined for a wrong key
     */
    linkId: (key: string): string | undefined => links.verify(key)?.ref,
    /** Whether the link key with this id is still valid. */
    isGoodLink: (id: string): boolean => links.current(apiKeyHolder(id)) !== undefined,
    /** When the next key ends, milliseconds since 1970; undefined when none does. */
    nextEnd: ends.length > 0 ? Math.min(...ends) : undefined,
  }
}

/** A key, and its predecessors that are still valid. */
function knownKeys(key: StoredKey | undefined): readonly KnownKey[] {
  if (key === undefined) return []
  const { digest, old = [] } = key
  const known = (of: Uint8Array, expiresAt?: number) => ({
    holder: apiKeyHolder(idOfDigest(of)),
    digest: of,
    expiresAt,
  })
  return [known(digest), ...old.map((one) => known(one.digest, one.endsAt))]
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
