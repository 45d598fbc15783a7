import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { type AllowedAccount, allowlist } from '../../handlers/allowlist.ts'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import { readableRows, type Skipped } from './readable-rows.ts'

const row = v.object({ data: v.string() })

export function allowlistTable(db: DatabaseSync, skipped: Skipped) {
  const read = db.prepare('SELECT data FROM allowlist')
  const put = db.prepare('INSERT OR REPLACE INTO allowlist (id, data) VALUES (1, ?)')
  return {
    reads: {
      allowlist: (): readonly AllowedAccount[] =>
        readableRows(
          'allowlist',
          read.all(),
          (found) => v.parse(allowlist, parseJson(v.parse(row, found).data)).accounts,
          skipped,
        ).flat(),
    },
    writes: {
      setAllowlist(accounts: readonly AllowedAccount[]): boolean {
        put.run(stringifyJson({ accounts }))
        return true
      },
    },
  }
}
