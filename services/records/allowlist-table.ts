import type { DatabaseSync } from 'node:sqlite'
import { type AllowedAccount, allowlist } from '../../handlers/allowlist.ts'
import { stringifyJson } from '../../lib/json.ts'
import { readableData, type Skipped } from './readable-rows.ts'

export function allowlistTable(db: DatabaseSync, skipped: Skipped) {
  const read = db.prepare('SELECT data FROM allowlist')
  const put = db.prepare('INSERT OR REPLACE INTO allowlist (id, data) VALUES (1, ?)')
  return {
    reads: {
      allowlist: (): readonly AllowedAccount[] =>
        readableData('allowlist', read.all(), allowlist, skipped).flatMap(({ accounts }) => accounts),
    },
    writes: {
      setAllowlist(accounts: readonly AllowedAccount[]): boolean {
        put.run(stringifyJson({ accounts }))
        return true
      },
    },
  }
}
