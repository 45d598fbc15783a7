/** An unusable disk never stops the records: they continue in memory, and are written as soon as possible. */
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../../new-folder.ts'
import { aKeeper, aKey, aWrite, newPath, rowId } from './a-keeper.ts'

/** Longer than the longest wait before the disk is tried again. */
const aWhile = 61

/** Runs as a user who is not root, because root can write everywhere. @param folder that user can enter it */
function asOtherUser<Result>(folder: string, run: () => Result): Result {
  if (process.geteuid?.() !== 0) return run()
  chmodSync(folder, 0o755)
  process.seteuid?.(65_534)
  try {
    return run()
  } finally {
    process.seteuid?.(0)
  }
}

describe('a full disk', () => {
  test('continues in memory, logs it once, and writes the kept rows when there is room', async () => {
    const path = newPath()
    const full = aKeeper(path, { maxPages: 40 })
    await full.calls.addKey(aKey('abc'))
    let id = 0
    while (full.changes.at(-1)?.state !== 'failed') {
      id += 1
      await full.write(id)
    }
    await full.write(id + 1)
    full.pass(aWhile)
    expect(full.changes).toMatchObject([{ state: 'ok' }, { state: 'failed', trouble: 'full' }])
    expect(await full.rows(2)).toEqual([id + 1, id])
    expect((await full.calls.storedKeys()).map((found) => found.id)).toEqual(['abc'])
    expect(await full.calls.revokeKey('abc', 5)).toBe(true)
    // The old rows make room.
    const db = new DatabaseSync(path)
    db.exec('DELETE FROM audit')
    db.close()
    full.pass(aWhile)
    expect(full.changes.at(-1)).toEqual({ state: 'ok' })
    expect(await full.rows()).toEqual([id + 1, id])
    full.keeper.close()
    const again = aKeeper(path)
    expect(await again.rows()).toEqual([id + 1, id])
    expect(await again.calls.storedKeys()).toEqual([])
    again.keeper.close()
  })
})

describe('a corrupt database', () => {
  test('that becomes corrupt in use is set aside too; keys that can still be read are kept', async () => {
    const path = newPath()
    const { changes, calls, write, pass, rows, keeper } = aKeeper(path)
    await calls.addKey(aKey('abc'))
    await write(...Array.from({ length: 2000 }, (_row, at) => at + 1))
    const db = new DatabaseSync(path)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const { rootpage } = Object(db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").get())
    db.close()
    const bytes = readFileSync(path)
    bytes.fill(0xff, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096)
    writeFileSync(path, bytes)
    await write(5000)
    pass(2)
    expect(changes.map(({ state, trouble }) => [state, trouble])).toEqual([
      ['ok', undefined],
      ['failed', 'corrupt'],
      ['ok', undefined],
    ])
    expect(existsSync(changes[1]?.aside ?? '')).toBe(true)
    expect(await rows()).toEqual([5000])
    expect((await calls.storedKeys()).map(({ id }) => id)).toEqual(['abc'])
    keeper.close()
  })
})

describe('a farmgate that is older than its database', () => {
  test('accepts none of its keys, changes nothing in it, and logs at the end what it cannot keep', async () => {
    const path = newPath()
    const newer = aKeeper(path)
    await newer.calls.addKey(aKey('abc'))
    newer.keeper.close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA user_version = 999; ALTER TABLE keys ADD COLUMN later TEXT')
    db.close()
    const { calls, write, notes, pass, keeper } = aKeeper(path)
    expect(await calls.storedKeys()).toEqual([])
    await calls.addKey(aKey('def'))
    await write(1)
    expect(await calls.revokeKey('def', 5)).toBe('memory')
    pass(aWhile)
    keeper.close()
    expect(notes).toEqual(['records that were in memory could not be written to the disk before the end'])
    // The newer one runs again, which has one more step.
    const again = new DatabaseSync(path)
    expect(again.prepare('SELECT id FROM keys').all()).toEqual([{ id: 'abc' }])
    expect(again.prepare('SELECT count(*) AS rows FROM audit').get()).toEqual({ rows: 0 })
    again.close()
  })
})

describe('a folder', () => {
  test('that is read-only keeps records in memory; they are written once it no longer is', async () => {
    const path = newPath()
    const first = aKeeper(path)
    await first.calls.addKey(aKey('abc'))
    first.keeper.close()
    const folder = dirname(path)
    const allow = (mode: number) => {
      chmodSync(path, mode & 0o666)
      chmodSync(folder, mode)
    }
    allow(0o555)
    const { changes, write, pass, rows, keeper } = asOtherUser(dirname(folder), () => aKeeper(path))
    expect(changes).toMatchObject([{ state: 'failed', trouble: 'not_writable' }])
    await write(1)
    allow(0o755)
    pass(2)
    expect(changes.at(-1)).toEqual({ state: 'ok' })
    expect(await rows()).toEqual([1])
    keeper.close()
  })

  test('that vanishes is noticed within a second, and later writes are kept', async () => {
    const path = newPath()
    const { changes, calls, write, pass, rows, keeper } = aKeeper(path)
    await calls.addKey(aKey('abc'))
    await write(1)
    renameSync(dirname(path), `${dirname(path)}-moved`)
    pass(1)
    expect(changes.at(-1)).toMatchObject({ state: 'failed', trouble: 'vanished' })
    await write(2)
    pass(aWhile)
    expect(changes.at(-1)).toEqual({ state: 'ok' })
    expect(await rows()).toEqual([2])
    expect((await calls.storedKeys()).map(({ id }) => id)).toEqual(['abc'])
    keeper.close()
  })
})

const mebibyte = 1024 * 1024

/** How many rows the audit has. */
async function rowsLeft(calls: ReturnType<typeof aKeeper>['calls']): Promise<number> {
  let left = 0
  let next: string | undefined
  do {
    const page = await calls.audit({ limit: 500, ...(next !== undefined && { before: Number(next) }) })
    left += page.entries.length
    next = page.next
  } while (next !== undefined)
  return left
}

test('memory keeps about 32 MiB of any rows: the oldest are dropped first, named keys stay', async () => {
  const file = join(newFolder(), 'data')
  writeFileSync(file, '')
  const { calls, rows, keeper } = aKeeper(join(file, 'records.db'))
  await calls.addKey(aKey('abc'))
  const parameters = { value: 'x'.repeat(4000) }
  const count = 12_000
  for (let id = 1; id <= count; id += 1) await calls.beganWrite(aWrite(id, { at: 1, parameters }))
  expect(await rows(1)).toEqual([count])
  const left = await rowsLeft(calls)
  expect(left * 4000).toBeGreaterThan(24 * mebibyte)
  expect(left * 4000).toBeLessThan(32 * mebibyte)
  expect((await calls.audit({ limit: 1, before: rowId(count - left + 1) })).entries).toEqual([])

  // Lines of the chat replace the oldest rows.
  const text = JSON.stringify({
    payload: { seq: 1, playerName: '', message: 'x'.repeat(4000), timestamp: '' },
  })
  for (let seq = 1; seq <= count; seq += 1) {
    await calls.chatLine({ seq, text }, seq)
    if (seq % 100 === 0) await calls.numberChatFrom(seq + 1)
  }
  const lines = (await calls.keptChat(count)).lines.length
  expect((lines + (await rowsLeft(calls))) * 4000).toBeLessThan(32 * mebibyte)
  expect(lines * 4000).toBeGreaterThan(16 * mebibyte)
  expect((await calls.keptChat(1)).lines).toMatchObject([{ seq: count }])
  expect((await calls.storedKeys()).map(({ id }) => id)).toEqual(['abc'])
  keeper.close()
})
