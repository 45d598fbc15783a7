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
  /** Its predecessors that are still valid. */
  readonly old?: readonly { readonly digest: Uint8Array; readonly endsAt: number }[]
}

/** Maximum of replaced keys of a kind that are still valid: each is compared with the key of every request. */
const maxReplaced = 10
/** The message of the error, which is all that an error keeps on its way from one object to another. */
export const tooManyReplaced = `${maxReplaced} replaced keys are still valid. Try again when one has ended, or without 'overlapMinutes', which ends them`

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
  /** The digests whose names begin so. */
  digests(prefix: string): readonly { readonly digest: ArrayBuffer | null; readonly at: number | null }[]
  write(statement: string, ...values: (string | number | Uint8Array<ArrayBuffer> | null)[]): void
}

/** @param now milliseconds since 1970 */
export function keyStore({ factOf, digests, record, keep, write }: Facts, now: () => number) {
  const replaced = (kind: KeyKind) =>
    digests(`${kind}KeyBefore`).flatMap((one) =>
      one.digest === null ? [] : [{ digest: new Uint8Array(one.digest), endsAt: one.at ?? 0 }],
    )
  const storedKey = (kind: KeyKind): StoredKey | undefined => {
    const digest = factOf(`${kind}Key`)?.digest
    if (!digest) return undefined
    return { digest: new Uint8Array(digest), old: replaced(kind) }
  }
  const stored = () => record('namedKeys', keyDigests) ?? []
  return {
    /** Undefined for a farm that was never created, or that was revoked. */
    keys(): Readonly<Record<KeyKind, StoredKey>> | undefined {
      const [api, link] = [storedKey('api'), storedKey('link')]
      return api && link ? { api, link } : undefined
    },
    /**
     * Stores new keys: both, or one.
     * @param oldEndsAt when the replaced keys end, milliseconds since 1970; unless given they end at once, with those
     * that were replaced before
     * @throws an error with `tooManyReplaced`
     */
    keepKeys(given: Partial<KeyDigests>, oldEndsAt: number | undefined) {
      const kinds = (['api', 'link'] as const).filter((kind) => given[kind] !== undefined)
      const isFull = (kind: KeyKind) =>
        replaced(kind).filter(({ endsAt }) => endsAt > now()).length >= maxReplaced
      if (oldEndsAt !== undefined && kinds.some(isFull)) throw new Error(tooManyReplaced)
      const replace = 'INSERT OR REPLACE INTO facts (name, digest, at)'
      for (const kind of kinds) {
        if (oldEndsAt === undefined) write("DELETE FROM facts WHERE name GLOB ? || 'KeyBefore*'", kind)
        else
          write(
            `${replace} SELECT name || 'Before' || hex(digest), digest, ? FROM facts WHERE name = ?`,
            ...[oldEndsAt, `${kind}Key`],
          )
        write(`${replace} VALUES (?, ?, NULL)`, `${kind}Key`, new Uint8Array(given[kind] ?? []))
      }
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
    dropEndedKeys: () => write("DELETE FROM facts WHERE name GLOB '*KeyBefore*' AND at <= ?", now()),
  }
}
