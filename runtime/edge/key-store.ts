/** The digests of a farm's keys in the storage of its object. */
import type * as v from 'valibot'
import { changedKeys, type KeyDigest, keyDigests, namedKeyOf } from '../../bridges/linked/key-digests.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { NamedKey } from '../../lib/keys.ts'

export interface KeyDigests {
  readonly api: Uint8Array
  readonly link: Uint8Array
}

type KeyKind = keyof KeyDigests

export interface StoredKey {
  /** SHA-256 of the key. */
  readonly digest: Uint8Array
  /** Its predecessor, while that one is still valid. */
  readonly old?: { readonly digest: Uint8Array; readonly endsAt: number }
}

export type KeyStore = ReturnType<typeof keyStore>

/** The table `facts` of the farm's store. */
interface Facts {
  factOf(
    name: string,
  ):
    | { readonly value: string | null; readonly digest: ArrayBuffer | null; readonly at: number | null }
    | undefined
  /** A fact that is JSON; undefined when it is missing or does not fit the schema. */
  record<T>(name: string, schema: v.GenericSchema<unknown, T>): T | undefined
  keep(name: string, value: string, at: number): void
  write(statement: string, ...values: (string | number | Uint8Array<ArrayBuffer> | null)[]): void
}

/** @param now milliseconds since 1970 */
export function keyStore({ factOf, record, keep, write }: Facts, now: () => number) {
  const storedKey = (kind: KeyKind): StoredKey | undefined => {
    const digest = factOf(`${kind}Key`)?.digest
    const old = factOf(`${kind}KeyBefore`)
    if (!digest) return undefined
    return {
      digest: new Uint8Array(digest),
      ...(old?.digest && { old: { digest: new Uint8Array(old.digest), endsAt: old.at ?? 0 } }),
    }
  }
  const stored = () => record('namedKeys', keyDigests) ?? []
  return {
    /** Undefined for a farm that was never created, or that was revoked. */
    keys(): Readonly<Record<KeyKind, StoredKey>> | undefined {
      const [api, link] = [storedKey('api'), storedKey('link')]
      return api && link ? { api, link } : undefined
    },
    /** @param oldEndsAt when the replaced key ends, milliseconds since 1970; at once unless given */
    keepKey(kind: KeyKind, digest: Uint8Array, oldEndsAt: number | undefined) {
      const before = storedKey(kind)
      const replace = 'INSERT OR REPLACE INTO facts (name, digest, at) VALUES (?, ?, ?)'
      write(replace, `${kind}Key`, new Uint8Array(digest), null)
      if (before !== undefined && oldEndsAt !== undefined)
        write(replace, `${kind}KeyBefore`, new Uint8Array(before.digest), oldEndsAt)
      else write('DELETE FROM facts WHERE name = ?', `${kind}KeyBefore`)
    },
    /** The named keys that the farm sent last. */
    namedKeys: (): readonly NamedKey[] => stored().map(namedKeyOf),
    /** @param gone given where the others stay as they are */
    keepNamedKeys(given: readonly KeyDigest[], gone?: readonly string[]) {
      const keys = gone === undefined ? given : changedKeys(stored(), given, gone)
      // Each new link brings them; only a change is written.
      const text = stringifyJson(keys)
      if ((factOf('namedKeys')?.value ?? '[]') !== text) keep('namedKeys', text, now())
    },
    /** Deletes replaced keys that have ended. */
    dropEndedKeys: () =>
      write("DELETE FROM facts WHERE name IN ('apiKeyBefore', 'linkKeyBefore') AND at <= ?", now()),
  }
}
