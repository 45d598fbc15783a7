/**
 * Named keys as the farm sends them to the edge: never the keys themselves, only their digests (bridges/linked/README.md).
 */
import { Buffer } from 'node:buffer'
import * as v from 'valibot'
import { scopes } from '../../handlers/key-holder.ts'
import { account } from '../../handlers/key-record.ts'
import { listOf } from '../../lib/foreign/read.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { NamedKey } from '../../lib/keys.ts'

/** More than a farm can make: 500 keys (`handlers/endpoints/create-key.ts`) and 400 sessions. */
const maxKeys = 1000

const keyId = v.pipe(v.string(), v.regex(/^[0-9a-z]{1,32}$/))
export const keyIds = listOf(keyId, maxKeys)

export const keyDigests = listOf(
  v.object({
    id: keyId,
    name: v.pipe(v.string(), v.maxLength(64)),
    scopes: listOf(v.picklist(scopes), scopes.length),
    /** SHA-256 of the key in hexadecimal digits. */
    digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    /** Milliseconds since 1970. */
    expiresAt: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(8.64e15))),
    /** Set for a session. */
    account: v.exactOptional(account),
  }),
  maxKeys,
)
export type KeyDigest = v.InferOutput<typeof keyDigests>[number]

export const keyDigestOf = ({ id, name, scopes, digest, expiresAt, account }: NamedKey): KeyDigest => ({
  id,
  name,
  scopes: [...scopes],
  digest: Buffer.from(digest).toString('hex'),
  ...(expiresAt !== undefined && { expiresAt }),
  ...(account !== undefined && { account }),
})

/**
 * Notes what was sent.
 * @returns a function that makes the next frame: all keys at first, then what has changed; undefined when nothing has
 */
export function keyChanges(): (
  all: readonly NamedKey[],
) => { readonly keys: KeyDigest[]; readonly gone?: string[] } | undefined {
  let sent: ReadonlyMap<string, string> | undefined
  return (all) => {
    const digests = all.map(keyDigestOf)
    const before = sent
    const now = new Map(digests.map((one) => [one.id, stringifyJson(one)]))
    sent = now
    if (before === undefined) return { keys: digests }
    const keys = digests.filter(({ id }) => before.get(id) !== now.get(id))
    const gone = [...before.keys()].filter((id) => !now.has(id))
    return keys.length + gone.length === 0 ? undefined : { keys, gone }
  }
}

/** Applies a frame with `gone`. Of a farm with too many keys the newest are left out. */
export function changedKeys(
  all: readonly KeyDigest[],
  changed: readonly KeyDigest[],
  gone: readonly string[],
): readonly KeyDigest[] {
  const byId = new Map([...all, ...changed].map((one) => [one.id, one]))
  for (const id of gone) byId.delete(id)
  return [...byId.values()].slice(0, maxKeys)
}

export const namedKeyOf = ({ digest, ...rest }: KeyDigest): NamedKey => ({
  ...rest,
  digest: new Uint8Array(Buffer.from(digest, 'hex')),
})
