/**
 * Named keys as the farm sends them to the edge: never the keys themselves, only their digests (docs/architecture.md).
 */
import { Buffer } from 'node:buffer'
import * as v from 'valibot'
import { scopes } from '../../handlers/key-holder.ts'
import { account } from '../../handlers/key-record.ts'
import type { NamedKey } from '../../lib/keys.ts'

/** More than a farm can make: 500 keys (`handlers/endpoints/create-key.ts`) and 400 sessions. */
const maxKeys = 1000

export const keyDigests = v.pipe(
  v.array(
    v.object({
      id: v.pipe(v.string(), v.regex(/^[0-9a-z]{1,32}$/)),
      name: v.pipe(v.string(), v.maxLength(64)),
      scopes: v.array(v.picklist(scopes)),
      /** SHA-256 of the key in hexadecimal digits. */
      digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      /** Milliseconds since 1970. */
      expiresAt: v.exactOptional(v.pipe(v.number(), v.safeInteger())),
      /** Set for a session. */
      account: v.exactOptional(account),
    }),
  ),
  v.maxLength(maxKeys),
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

export const namedKeyOf = ({ digest, ...rest }: KeyDigest): NamedKey => ({
  ...rest,
  digest: new Uint8Array(Buffer.from(digest, 'hex')),
})
