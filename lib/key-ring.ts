/** The keys of a farm in its own process: API_KEY, and the named keys of the records. */
import { apiKeyHolder, type KeyHolder } from '../handlers/key-holder.ts'
import type { Clock } from './clock.ts'
import { checkKeys, type KeyCheck, keyPrefix, knownKey, type NamedKey, openToAll } from './keys.ts'

export type KeyRing = ReturnType<typeof keyRing>

/** The keys of a server: those that never change need no listener. */
export type ServerKeys = KeyCheck & Partial<Pick<KeyRing, 'onChange'>>

export interface KeyRingParts extends Pick<Clock, 'now'> {
  /** SHA-256 of API_KEY; undefined where none is set, and everyone may do everything. */
  readonly apiKey: Uint8Array | undefined
  /** Called when a named key is used, at most once a minute and key. */
  readonly used: (id: string) => void
}

export function keyRing({ apiKey, now, used }: KeyRingParts) {
  const unnamed = apiKey === undefined ? [] : [{ holder: apiKeyHolder(), digest: apiKey }]
  const listeners = new Set<() => void>()
  const noteUse = usesOf(used, now)
  const recorded = (holder: KeyHolder | undefined) => {
    if (holder !== undefined) noteUse(holder)
    return holder
  }
  let named: readonly NamedKey[] | undefined
  let check = apiKey === undefined ? openToAll : checkKeys(unnamed, [], now)
  return {
    required: check.required,
    verify: (key: string) => recorded(check.verify(key)),
    session: (proof: string) => recorded(check.session(proof)),
    current: (holder: KeyHolder) => check.current(holder),
    /** The named keys that are not revoked; undefined until they were read for the first time. */
    get named(): readonly NamedKey[] | undefined {
      return named
    },
    /** Sets all named keys. */
    set(next: readonly NamedKey[]) {
      named = next
      if (apiKey !== undefined) check = checkKeys(unnamed, next.map(knownKey), now)
      for (const listener of listeners) listener()
    },
    /** Calls the listener after each change. @returns a function that ends this */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const useInterval = 60_000

/**
 * @param used called with the id of a used named key, at most once a minute and key
 * @param now milliseconds since 1970
 * @returns a function to call for each use of a key
 */
export function usesOf(used: (id: string) => void, now: () => number): (holder: KeyHolder) => void {
  const toldAt = new Map<string, number>()
  return ({ id, ref }) => {
    if (!ref.startsWith(keyPrefix)) return
    const at = now()
    // A clock that was set back does not stop the reports.
    if (Math.abs(at - (toldAt.get(id) ?? Number.NEGATIVE_INFINITY)) < useInterval) return
    toldAt.set(id, at)
    used(id)
  }
}
