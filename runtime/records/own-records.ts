/** The records as the farm's own process uses them: the port, and what only this process may read and write. */
import type { KeyRecord } from '../../handlers/key-record.ts'
import type { Records, RecordsState } from '../../handlers/records.ts'
import type { Door } from './audit-table.ts'
import type { KeeperCalls } from './keeper.ts'
import type { StoredKey } from './keys-table.ts'
import { newKey } from './new-key.ts'

export interface OwnRecords {
  /** The port. @param door that the writes came in by which it is told of */
  of(door: Door): Records
  /** What the port does not have. */
  readonly calls: KeeperCalls
  /** Calls the listener with all named keys, now and after each change of them. */
  onKeys(listener: (keys: readonly StoredKey[]) => void): void
  /** To be called when another database is used: reads the named keys again, and tells them. */
  databaseChanged(): void
}

export interface OwnRecordsParts {
  readonly calls: KeeperCalls
  readonly state: () => RecordsState
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

/** Ids are microseconds since 1970, so that those of two databases never meet, and grow although a clock goes back. */
const idsFrom = (now: () => number) => {
  let last = 0
  return () => {
    last = Math.max(last + 1, now() * 1000)
    return last
  }
}

export function ownRecords({ calls, state, now, randomBytes }: OwnRecordsParts): OwnRecords {
  const nextId = idsFrom(now)
  const listeners: ((keys: readonly StoredKey[]) => void)[] = []
  const tellKeys = async () => {
    const keys = await calls.storedKeys()
    for (const listener of listeners) listener(keys)
  }
  return {
    calls,
    of: (door) => ({
      state,
      keys: async () => (await calls.storedKeys()).map(keyRecordOf),
      async makeKey(wish) {
        const { key, stored } = newKey(wish, now(), randomBytes)
        await calls.addKey(stored)
        await tellKeys()
        return { ...keyRecordOf(stored), key }
      },
      async revokeKey(id) {
        const isRevoked = await calls.revokeKey(id, now())
        if (isRevoked) await tellKeys()
        return isRevoked
      },
      async usedKey(id) {
        await calls.usedKey(id, now())
      },
      async beganWrite(write) {
        const id = nextId()
        await calls.beganWrite({ ...write, id, at: now(), door })
        return id
      },
      endedWrite: (id, end) => calls.endedWrite(id, door, end),
      audit: (query) => calls.audit(query),
    }),
    databaseChanged: () => void tellKeys().catch(() => undefined),
    onKeys(listener) {
      listeners.push(listener)
      void calls.storedKeys().then(listener, () => undefined)
    },
  }
}

const keyRecordOf = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: StoredKey): KeyRecord => ({
  id,
  name,
  scopes: [...scopes],
  createdAt: timeText(createdAt),
  ...(expiresAt !== undefined && { expiresAt: timeText(expiresAt) }),
  ...(lastUsedAt !== undefined && { lastUsedAt: timeText(lastUsedAt) }),
})

const timeText = (milliseconds: number) => new Date(milliseconds).toISOString()
