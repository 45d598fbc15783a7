import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { account, scope } from '../../handlers/key-record.ts'
import { stringifyJson } from '../../lib/json.ts'
import { blob, jsonColumn, readableRows, type Skipped } from './readable-rows.ts'
import { addWithinLimit } from './within-limit.ts'

/** A named key, or a session (`accounts-table.ts`), as it is stored. Times are milliseconds since 1970. */
const storedKey = v.object({
  id: v.string(),
  name: v.string(),
  scopes: jsonColumn(v.pipe(v.array(scope), v.readonly())),
  /** SHA-256 of the whole key. */
  digest: blob,
  createdAt: v.number(),
  expiresAt: v.exactOptional(v.number()),
  lastUsedAt: v.exactOptional(v.number()),
  account: v.exactOptional(account),
  /** The id of the account whose session made it, or made the key that did. */
  madeBy: v.exactOptional(v.string()),
})
export type StoredKey = Readonly<v.InferOutput<typeof storedKey>>

export function keysTable(db: DatabaseSync, skipped: Skipped) {
  const all = db.prepare(
    'SELECT * FROM keys WHERE revokedAt IS NULL AND account IS NULL ORDER BY createdAt, id',
  )
  const insert = db.prepare(
    'INSERT INTO keys (id, name, scopes, digest, createdAt, expiresAt, madeBy) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  // A revoked key stays as a row, so that its revocation reaches the disk when it was made while records were in
  // memory.
  const revoke = db.prepare('UPDATE keys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL')
  // Keys for less than a day are made for one visit each: they must not fill the list.
  const revokeEnded = db.prepare(
    'UPDATE keys SET revokedAt = ?1 WHERE revokedAt IS NULL AND account IS NULL AND expiresAt < ?1 AND expiresAt - createdAt < 86400000',
  )
  const count = db.prepare('SELECT count(*) AS rows FROM keys WHERE revokedAt IS NULL AND account IS NULL')
  const use = db.prepare('UPDATE keys SET lastUsedAt = ? WHERE id = ?')
  return {
    reads: {
      storedKeys: (): readonly StoredKey[] => readableRows('keys', all.all(), storedKey, skipped),
    },
    writes: {
      /** @returns false when there are too many */
      addKey({ id, name, scopes, digest, createdAt, expiresAt, madeBy }: StoredKey): boolean {
        revokeEnded.run(createdAt)
        return addWithinLimit(
          'keys',
          () => Number(count.get()?.['rows']),
          () =>
            insert.run(id, name, stringifyJson(scopes), digest, createdAt, expiresAt ?? null, madeBy ?? null),
        )
      },
      /** @returns false when there is no such key */
      revokeKey: (id: string, at: number): boolean => revoke.run(at, id).changes > 0,
    },
    later: {
      usedKey(id: string, at: number): void {
        use.run(at, id)
      },
    },
  }
}
