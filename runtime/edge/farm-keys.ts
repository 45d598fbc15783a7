/**
 * Checks the keys of a farm against their digests. Those of the default farm come from the Worker's secrets, those of
 * a fleet's farm from its object's storage.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, type KeyCheck } from '../http/keys.ts'
import type { EdgeEnv } from './env.ts'
import type { FarmStore } from './farm-store.ts'

export interface FarmKeys extends KeyCheck {
  /** Whether the farm has keys: it was created and not revoked, or it is the default farm and its secrets are set. */
  readonly isKnown: boolean
  /** Compares in constant time. */
  verifyLink(key: string): boolean
}

/** @param isDefault whether this is the farm at the root paths */
export function farmKeys(store: FarmStore, env: EdgeEnv, isDefault: boolean): FarmKeys {
  const digests = isDefault
    ? { api: digestOfSecret(env.API_KEY), link: digestOfSecret(env.LINK_KEY) }
    : store.digests()
  const fits = (key: string, digest: Uint8Array | undefined) =>
    digest !== undefined && timingSafeEqual(digestOf(key), digest)
  return {
    required: true,
    isKnown: digests?.api !== undefined,
    verify: (key) => fits(key, digests?.api),
    verifyLink: (key) => fits(key, digests?.link),
  }
}

/** @returns undefined for a secret that is not set */
export const digestOfSecret = (secret: string | undefined): Uint8Array | undefined =>
  secret === undefined || secret === '' ? undefined : digestOf(secret)
