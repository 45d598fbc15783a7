/** The database of the records: rows can be read again, also after it was closed. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../../../services/records/make-folder.ts'
import { migrations } from '../../../services/records/migrations.ts'
import { newFolder } from '../../new-folder.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { aKeeper, aWrite, newPath, rowId, startedAt } from './a-keeper.ts'

const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)

/** Makes the database of an older farmgate, with one key. */
function makeOlder(path: string): void {
  aKeeper(path).keeper.close()
  const db = new DatabaseSync(path)
  db.exec(`INSERT INTO keys (id, name, scopes, digest, createdAt) VALUES ('abc', 'bot', '[]', x'00', 1)`)
  db.close()
}

describe('the database', () => {
  test('has mode 0600, as have its -wal and -shm files, in a folder of mode 0700', () => {
    const path = newPath()
    const { keeper } = aKeeper(path)
    expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(['600', '600', '600'])
    expect(mode(dirname(path))).toBe('700')
    keeper.close()
  })

  test('returns rows that were committed before it was opened again', async () => {
    const path = newPath()
    const first = aKeeper(path)
    await first.write(1, 2)
    first.keeper.close()
    const again = aKeeper(path)
    expect(await again.rows()).toEqual([2, 1])
    expect(again.changes).toEqual([{ state: 'ok' }])
    again.keeper.close()
  })

  test('a row that nothing awaits, such as a chat line, is on the disk a second later, without any other write', async () => {
    const path = newPath()
    const { calls, pass, keeper } = aKeeper(path)
    await calls.chatLine({ seq: 1, text: 'a line' }, startedAt)
    pass(1)
    const other = new DatabaseSync(path, { readOnly: true })
    expect(other.prepare('SELECT seq, text FROM chat').all()).toEqual([{ seq: 1, text: 'a line' }])
    other.close()
    keeper.close()
  })

  test('a write that began and never ended is unknown', async () => {
    const { calls, write, keeper } = aKeeper(newPath())
    await write(1)
    await calls.endedWrite({ id: rowId(2), origin: 'local', end: { outcome: 'done', status: 200 } })
    await calls.beganWrite(aWrite(3, { origin: 'edge' }))
    const { entries } = await calls.audit({ limit: 10 })
    expect(entries.map(({ id, outcome }) => [id, outcome])).toEqual([
      [String(rowId(3)), 'unknown'],
      [String(rowId(1)), 'done'],
    ])
    keeper.close()
  })

  test('a row is ended once, and only by its own origin', async () => {
    const { calls, write, keeper } = aKeeper(newPath())
    await write(1)
    await calls.endedWrite({ id: rowId(1), origin: 'local', end: { outcome: 'failed', status: 500 } })
    await calls.beganWrite(aWrite(2))
    await calls.endedWrite({ id: rowId(2), origin: 'edge', end: { outcome: 'done', status: 200 } })
    const { entries } = await calls.audit({ limit: 10 })
    expect(entries.map(({ outcome }) => outcome)).toEqual(['unknown', 'done'])
    keeper.close()
  })

  test('a wrong call fails alone; calls written with it are stored', async () => {
    const { calls, write, rows, changes, keeper } = aKeeper(newPath())
    await write(1)
    const repeated = write(1)
    const right = write(2)
    await expect(repeated).rejects.toThrow(/UNIQUE/)
    await right
    expect(await rows()).toEqual([2, 1])
    expect(changes).toEqual([{ state: 'ok' }])
    await calls.usedKey('nobody', 1)
    keeper.close()
  })

  test('of many rows of the audit at once, only a wrong one is not written', async () => {
    const { calls, write, rows, keeper } = aKeeper(newPath())
    await write(1)
    await expect(
      calls.audited(
        [2, 1, 3].map((row) => aWrite(row)),
        [],
      ),
    ).rejects.toThrow(/UNIQUE/)
    expect(await rows()).toEqual([3, 2, 1])
    keeper.close()
  })
})

describe('migrations', () => {
  test('keep the previous file, run in one transaction and keep its rows', () => {
    const path = newPath()
    makeOlder(path)
    const steps = [...migrations, 'CREATE TABLE later (id INTEGER PRIMARY KEY)']
    const { keeper } = aKeeper(path, { migrations: steps })
    keeper.close()
    const now = new DatabaseSync(path, { readOnly: true })
    expect(now.prepare('PRAGMA user_version').get()).toEqual({ user_version: steps.length })
    expect(now.prepare('SELECT id FROM keys').all()).toEqual([{ id: 'abc' }])
    expect(now.prepare('SELECT * FROM later').all()).toEqual([])
    now.close()
    const previous = `${path}.v${migrations.length}`
    expect(mode(previous)).toBe('600')
    const before = new DatabaseSync(previous, { readOnly: true })
    expect(before.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length })
    expect(before.prepare('SELECT id FROM keys').all()).toEqual([{ id: 'abc' }])
    before.close()
  })

  test('that fail leave the database as it was', async () => {
    const path = newPath()
    makeOlder(path)
    const db = new DatabaseSync(path)
    db.exec(
      "INSERT INTO keys (id, name, scopes, digest, createdAt) SELECT 'def', name, scopes, digest, createdAt FROM keys",
    )
    db.close()
    const steps = [...migrations, 'CREATE TABLE half (id INTEGER)', 'CREATE UNIQUE INDEX once ON keys (name)']
    const broken = aKeeper(path, { migrations: steps })
    expect(broken.changes).toMatchObject([{ state: 'failed' }])
    broken.keeper.close()
    const again = aKeeper(path)
    expect(again.changes).toEqual([{ state: 'ok' }])
    expect((await again.calls.storedKeys()).map(({ id }) => id)).toEqual(['abc', 'def'])
    again.keeper.close()
  })

  test("keep the audit rows, webhooks and deliveries of an older farmgate under today's names", async () => {
    const path = newPath()
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const older = migrations.slice(
      0,
      migrations.findIndex((step) => step.includes('RENAME COLUMN door')),
    )
    const db = new DatabaseSync(path)
    for (const step of older) db.exec(step)
    db.exec(`PRAGMA user_version = ${older.length};
      INSERT INTO audit (id, at, requestId, door, address, action, parameters, outcome, isCommand) VALUES
        (1, 1, '', 'here', '', 'setTime', '{}', 'done', NULL),
        (2, 2, '', 'edge', '', 'setTime', '{}', 'done', NULL),
        (3, 3, '', 'here', '', 'setTime', '{}', 'done', 1);
      INSERT INTO webhooks (id, name, url, events, format, createdAt)
        VALUES ('w', 'ntfy', 'https://a.example/', '["farm.away","key.braked"]', 'text', 1);
      INSERT INTO deliveries (id, webhookId, event, data, madeAt, isSingle, tries, dueAt)
        VALUES (1, 'w', 'key.braked', '{"farmName":"","address":"192.0.2.1"}', 1, 0, 0, 1)`)
    db.close()
    const { keeper, calls } = aKeeper(path)
    const { entries } = await calls.audit({ limit: 10 })
    expect(entries.map(({ origin }) => origin)).toEqual(['cli', 'edge', 'local'])
    expect(await calls.storedWebhooks()).toMatchObject([
      { events: ['farm.away', 'key.throttled'], waiting: 1 },
    ])
    expect(await calls.dueDeliveries('w', 1, 1)).toMatchObject([{ event: 'key.throttled' }])
    const event = { event: 'key.throttled', data: '{}', at: 2 } as const
    expect(await calls.makeDeliveries(event, 0)).toBe(1)
    keeper.close()
  })

  test('of a new database make no copy', () => {
    const path = newPath()
    aKeeper(path).keeper.close()
    expect(existsSync(`${path}.v0`)).toBe(false)
  })
})

describe('retention', () => {
  test('removes rows older than AUDIT_DAYS, a few each second', async () => {
    const { write, rows, pass, becomeSteady, calls, keeper } = aKeeper(newPath(), {
      days: { audit: 1, history: 1, chat: 1 },
    })
    const old = -86_410_000_000
    await write(...Array.from({ length: 1200 }, (_row, at) => old + at), 0)
    const before = rowId(0)
    const left = async () => {
      const first = await calls.audit({ limit: 500, before })
      const next =
        first.next === undefined ? first : await calls.audit({ limit: 500, before: Number(first.next) })
      return first.entries.length + (first === next ? 0 : next.entries.length)
    }
    becomeSteady()
    expect(await left()).toBe(700)
    pass(1)
    expect(await left()).toBe(200)
    pass(1)
    expect(await rows()).toEqual([0])
    keeper.close()
  })
})

test('the rows of each table are counted once a minute at most, for any number of metric reads', async () => {
  const { keeper, write, clock } = aKeeper(newPath())
  expect(keeper.measured().rowsOf['audit']).toBe(0)
  await write(1, 2)
  clock.now += 59_999
  expect(keeper.measured().rowsOf['audit']).toBe(0)
  clock.now += 1
  expect(keeper.measured().rowsOf['audit']).toBe(2)
  keeper.close()
})

const day = 86_400_000
const hour = 3_600_000
const abby = { playerId: 6_208_260_877_024_290_921n, name: 'Abby' }

function filled(
  path: string,
  days: { readonly audit: number; readonly history: number; readonly chat: number },
) {
  const kept = aKeeper(path, { days })
  const { calls } = kept
  for (let age = 0; age < 5; age += 1) {
    const at = startedAt - age * day - 20 * hour
    const session = { ...abby, id: at * 1000, joinedAt: at, seenAt: at + 60_000, played: 60_000 }
    calls.sessionBegan(session)
    calls.sessionEnded(session, 'left')
    calls.sampled({ at, players: 1 })
    calls.dayBegan({ beganAt: at, day: 28 - age, season: 'spring', year: 1 })
    calls.chatLine(
      {
        seq: 100 - age,
        text: `{"payload":{"seq":${100 - age},"playerName":"","message":"","timestamp":""}}`,
      },
      at,
    )
  }
  const counts = async () => ({
    sessions: (await calls.sessions({ limit: 100 })).sessions.length,
    samples: (await calls.samples({ from: startedAt - 9 * day, to: startedAt + day, step: 86_400 })).samples
      .length,
    days: (await calls.days({ limit: 100 })).days.length,
    chat: (await calls.chat({ limit: 100 })).lines.length,
  })
  return { ...kept, counts }
}

test('sessions, samples and days older than HISTORY_DAYS are removed, chat lines older than CHAT_DAYS', async () => {
  const { keeper, counts, becomeSteady } = filled(newPath(), { audit: 90, history: 3, chat: 2 })
  becomeSteady()
  expect(await counts()).toEqual({ sessions: 3, samples: 3, days: 3, chat: 2 })
  keeper.close()
})

test('0 keeps nothing', async () => {
  const kept = filled(newPath(), { audit: 0, history: 0, chat: 0 })
  kept.pass(120)
  expect(await kept.counts()).toEqual({ sessions: 0, samples: 0, days: 0, chat: 0 })
  expect(await kept.calls.playersSeen()).toEqual({ players: [] })
  kept.keeper.close()
})

test('player totals are computed from the kept sessions', async () => {
  const { keeper, calls, becomeSteady } = filled(newPath(), { audit: 90, history: 3, chat: 2 })
  expect((await calls.playersSeen()).players).toMatchObject([{ minutesPlayed: 5, sessions: 5 }])
  becomeSteady()
  expect((await calls.playersSeen()).players).toMatchObject([
    { minutesPlayed: 3, sessions: 3, firstSeen: new Date(startedAt - 2 * day - 20 * hour).toISOString() },
  ])
  keeper.close()
})

test('the number of the next chat line is never removed', async () => {
  const kept = filled(newPath(), { audit: 0, history: 0, chat: 0 })
  await kept.calls.numberChatFrom(101)
  kept.pass(10)
  expect(await kept.calls.keptChat(10)).toMatchObject({ next: 101, lines: [] })
  kept.keeper.close()
})

test('a key for less than a day leaves the list when it has ended, so visits never fill it; a key for days stays until it is revoked', async () => {
  let now = Date.now()
  const records = memoryOwnRecords(() => now).of('local')
  await records.makeKey({ name: 'bot', scopes: ['chat'], expiresInDays: 1 })
  now += 1
  const visit = await records.makeKey({ name: 'visit', scopes: ['admin'], expiresInMinutes: 60 })
  expect(Date.parse(visit.expiresAt ?? '') - Date.parse(visit.createdAt)).toBe(3_600_000)
  now += 59 * 60_000
  expect((await records.keys()).map(({ name }) => name)).toEqual(['bot', 'visit'])
  now += 3 * 86_400_000
  expect((await records.keys()).map(({ name }) => name)).toEqual(['bot'])
})

test('a folder is made with its parents, for this user only', () => {
  const root = newFolder()
  expect(makeFolder(join(root, 'a', 'b'))).toBe(join(root, 'a'))
  expect([join(root, 'a'), join(root, 'a', 'b')].map(mode)).toEqual(['700', '700'])
  expect(makeFolder(join(root, 'a', 'b'))).toBeUndefined()
})

test('a file in the way is an error', () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(join(file, 'data'))).toThrow('ENOTDIR')
})

test('a place where the system allows no folder is an error, and does not hang', () => {
  expect(() => makeFolder('/proc/farmgate/data')).toThrow()
})
