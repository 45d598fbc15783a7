/** Who holds which key of a farm: digests only, from the object's storage or, for the default farm, the secrets. */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, type KeyCheck } from '../http/keys.ts'
import type { EdgeEnv } from './env.ts'
import type { FarmStore } from './farm-store.ts'

export interface FarmKeys extends KeyCheck {
  /** Somebody may use this farm: it was created and not revoked, or it is the default one and has a key. */
  readonly isKnown: boolean
  /** Takes the same time however much of the key is right. */
  verifyLink(key: string): boolean
}

/** @param isDefault the farm at the root paths */
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
