import type { DatabaseSync } from 'node:sqlite'
import { type ExpectedFarm, expectedFarm } from '../../handlers/expected-farm.ts'
import { stringifyJson } from '../../lib/json.ts'
import { readableData, type Skipped } from './readable-rows.ts'

export function expectedFarmTable(db: DatabaseSync, skipped: Skipped) {
  const read = db.prepare('SELECT data FROM expectedFarm')
  const put = db.prepare('INSERT OR REPLACE INTO expectedFarm (id, data) VALUES (1, ?)')
  return {
    reads: {
      expectedFarm: (): ExpectedFarm | undefined =>
        readableData('expectedFarm', read.all(), expectedFarm, skipped)[0],
    },
    writes: {
      keepExpectedFarm: (kept: ExpectedFarm): void => void put.run(stringifyJson(kept)),
    },
  }
}
