/** The database of the records: what is written is read again, also after it was closed. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Keeper, keepRecords, type StateChange } from '../../../runtime/records/keeper.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-records-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function keeperOf(path: string): { readonly keeper: Keeper; readonly changes: readonly StateChange[] } {
  const changes: StateChange[] = []
  const keeper = keepRecords({
    path,
    onState: (change) => changes.push(change),
    now: () => 1_700_000_000_000,
    monotonic: () => 0,
    random: () => 0.5,
    soon: setImmediate,
  })
  return { keeper, changes }
}

const write = (id: number) => ({
  id,
  at: 1_700_000_000_000 + id,
  door: 'here' as const,
  requestId: `request-${id}`,
  key: { id: 'api_key', name: 'API_KEY' },
  address: '127.0.0.1',
  action: 'setTime',
  parameters: { value: '1200' },
})

describe('the database', () => {
  test('has mode 0600, as have its -wal and -shm files, in a folder of mode 0700', () => {
    const path = join(newFolder(), 'data', 'records.db')
    const { keeper } = keeperOf(path)
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)
    expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(['600', '600', '600'])
    expect(mode(join(path, '..'))).toBe('700')
    keeper.close()
  })

  test('gives back what was committed before it was opened again', async () => {
    const path = join(newFolder(), 'records.db')
    const first = keeperOf(path)
    await first.keeper.calls.beganWrite(write(1))
    await first.keeper.calls.beganWrite(write(2))
    await first.keeper.calls.endedWrite(2, 'here', { outcome: 'done', status: 200 })
    first.keeper.close()
    const { keeper, changes } = keeperOf(path)
    const { entries } = await keeper.calls.audit({ limit: 100 })
    expect(entries.map(({ id, outcome, status }) => ({ id, outcome, status }))).toEqual([
      { id: '2', outcome: 'done', status: 200 },
      { id: '1', outcome: 'unknown', status: undefined },
    ])
    expect(changes).toEqual([{ state: 'ok' }])
    keeper.close()
  })

  test('has a version, by which a database of another farmgate is recognised', () => {
    const path = join(newFolder(), 'records.db')
    keeperOf(path).keeper.close()
    const db = new DatabaseSync(path)
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: expect.any(Number) })
    db.close()
  })
})
