/** A database that is corrupt when farmgate starts: readable rows are kept. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../bridges/simulated/random.ts'
import { aKeeper, aKey, aWebhook, newPath, rowId, startedAt } from './a-keeper.ts'

const pageSize = 4096
const rows = 2000
const keys = Array.from({ length: 5 }, (_key, at) => `key${at}`)
/** A database with named keys, of which `key4` is revoked, a webhook, a Discord server, and much audit and chat. */
async function filled(): Promise<string> {
  const path = newPath()
  const { calls, write, keeper } = aKeeper(path)
  for (const id of keys) await calls.addKey(aKey(id))
  await calls.revokeKey('key4', 5)
  await calls.addWebhook(aWebhook)
  await calls.addDiscordCode('code', startedAt + 1000, startedAt)
  await calls.bindDiscordServer('code', '7', startedAt)
  await write(...Array.from({ length: rows }, (_row, at) => at + 1))
  for (let seq = 1; seq <= 200; seq += 1) {
    const text = JSON.stringify({ payload: { seq, playerName: 'Abby', message: 'hello', timestamp: '' } })
    await calls.chatLine({ seq, text }, startedAt)
  }
  await calls.numberChatFrom(201)
  keeper.close()
  return path
}

/** Overwrites pages, counted from 1, as a failing disk does. */
function damage(path: string, pages: readonly number[], from = 0): void {
  const bytes = readFileSync(path)
  for (const page of pages) bytes.fill(0xa5, (page - 1) * pageSize + from, page * pageSize)
  writeFileSync(path, bytes)
}

const rootPage = (path: string, name: string): number => {
  const db = new DatabaseSync(path)
  const found = db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(name)
  db.close()
  return Number(found?.['rootpage'])
}

/** Starts on a database, and reads everything. */
async function started(path: string) {
  const { calls, changes, pass, notes, keeper } = aKeeper(path)
  const atOnce = (await calls.storedKeys()).map(({ id }) => id)
  // These calls find any corruption.
  const audit = async () => {
    let found = 0
    for (let before: number | undefined; ; ) {
      const page = await calls.audit({ limit: 500, ...(before !== undefined && { before }) })
      found += page.entries.length
      if (page.next === undefined) return found
      before = Number(page.next)
    }
  }
  await audit()
  await calls.chat({ limit: 500 })
  pass(2)
  const found = {
    atOnce,
    keys: (await calls.storedKeys()).map(({ id }) => id),
    webhooks: (await calls.storedWebhooks()).map(({ id }) => id),
    servers: (await calls.storedDiscordServers()).map(({ id }) => id),
    audit: await audit(),
    chat: (await calls.chat({ limit: 500 })).lines.length,
    states: changes.map(({ state }) => state),
    aside: changes.find(({ aside }) => aside !== undefined)?.aside,
    notes,
  }
  keeper.close()
  return found
}
const good = keys.slice(0, 4)

describe('a database that is corrupt at the start', () => {
  test('with a damaged page of the audit keeps all keys, webhooks and Discord servers at once, and every row of the other pages', async () => {
    const path = await filled()
    damage(path, [rootPage(path, 'audit')])
    const found = await started(path)
    expect(found).toMatchObject({ keys: good, webhooks: ['hook'], servers: ['7'], chat: 200 })
    expect(existsSync(found.aside ?? '')).toBe(true)
    const one = await filled()
    const root = rootPage(one, 'audit')
    const leaf = root + 40
    damage(one, [leaf])
    const other = await started(one)
    expect(other.keys).toEqual(good)
    expect(other.audit).toBeGreaterThan(rows * 0.9)
  })

  test('with a damaged first page keeps its keys, and a revoked key stays revoked', async () => {
    for (const from of [0, 100]) {
      const path = await filled()
      damage(path, [1], from)
      const found = await started(path)
      expect(found).toMatchObject({ atOnce: good, keys: good, webhooks: ['hook'], servers: ['7'] })
      expect(found.audit).toBe(rows)
      expect(found.notes).toContain('rows of the corrupt database are kept')
    }
  })

  test('with a damaged page of the schema keeps its keys', async () => {
    const whole = readFileSync(await filled())
    // The first page refers to the others.
    const pages = [whole.readUInt32BE(108), whole.readUInt32BE(whole.readUInt16BE(112))]
    for (const page of pages) {
      const path = await filled()
      damage(path, [page])
      expect(await started(path)).toMatchObject({ keys: good, webhooks: ['hook'], servers: ['7'] })
    }
  })

  test('that was truncated keeps its keys', async () => {
    const path = await filled()
    truncateSync(path, Math.floor(statSync(path).size / 2 / pageSize) * pageSize)
    expect((await started(path)).keys).toEqual(good)
  })

  test('is set aside unchanged', async () => {
    const path = newPath()
    mkdirSync(dirname(path))
    copyFileSync(await filled(), path)
    damage(path, [1])
    const before = readFileSync(path)
    const { aside } = await started(path)
    expect(readFileSync(aside ?? '').equals(before)).toBe(true)
  })

  test('in any one page keeps its keys unless the page is that of the keys, and never accepts a revoked one', async () => {
    const whole = await filled()
    const pages = statSync(whole).size / pageSize
    const ofKeys = rootPage(whole, 'keys')
    const random = seededRandom('salvage')
    const path = newPath()
    mkdirSync(dirname(path))
    const tried = new Set(Array.from({ length: 30 }, () => random.whole(1, pages)))
    for (const page of tried) {
      for (const end of ['', '-wal', '-shm']) writeFileSync(`${path}${end}`, '')
      copyFileSync(whole, path)
      damage(path, [page])
      const found = await started(path)
      expect([page, found.keys]).toEqual([page, page === ofKeys ? [] : good])
    }
  })
})

test('a damaged row of the audit is skipped and logged; /audit answers all others, and so do pages', async () => {
  const path = await filled()
  const db = new DatabaseSync(path)
  db.exec(`UPDATE audit SET parameters = '{"broken' WHERE id = ${rowId(rows - 1)}`)
  db.exec(`UPDATE audit SET outcome = 'x' WHERE id = ${rowId(rows - 3)}`)
  db.close()
  const { calls, rows: newest, notes, changes, keeper } = aKeeper(path)
  expect(await newest(5)).toEqual([rows, rows - 2, rows - 4])
  const page = await calls.audit({ limit: 2 })
  expect([page.entries.length, page.next]).toEqual([1, String(rowId(rows - 1))])
  expect((await calls.audit({ limit: 2, before: Number(page.next) })).entries).toHaveLength(1)
  expect(notes).toEqual(['damaged rows of the records are left out'])
  expect(changes).toEqual([{ state: 'ok' }])
  keeper.close()
})

test('a damaged row of any other table is skipped too: the others are answered', async () => {
  const path = await filled()
  const db = new DatabaseSync(path)
  db.exec(`UPDATE keys SET scopes = 'broken' WHERE id = 'key1';
    INSERT INTO webhooks (id, name, url, events, format, createdAt) VALUES ('bad', '', '', '[', 'text', 0);
    INSERT INTO discordServers (id, roles, boundAt) VALUES ('8', '{', 0);
    UPDATE chat SET text = '[' WHERE seq = 199;
    INSERT INTO days (beganAt, day, season, year, players) VALUES (1, 1, 'spring', 1, '['), (2, 1, 'spring', 1, '[]');
    INSERT INTO sessions (id, playerId, name, joinedAt, seenAt, played, leftAt, ended)
      VALUES (1, 1, 'Abby', 0, 0, 0, 1, 'broken'), (2, 1, 'Abby', 0, 0, 0, 1, 'left')`)
  db.close()
  const { calls, keeper } = aKeeper(path)
  expect((await calls.storedKeys()).map(({ id }) => id)).toEqual(['key0', 'key2', 'key3'])
  expect((await calls.storedWebhooks()).map(({ id }) => id)).toEqual(['hook'])
  expect((await calls.storedDiscordServers()).map(({ id }) => id)).toEqual(['7'])
  expect((await calls.chat({ limit: 3 })).lines.map(({ seq }) => seq)).toEqual([200, 198])
  expect((await calls.days({ limit: 9 })).days).toHaveLength(1)
  expect((await calls.sessions({ limit: 9 })).sessions).toHaveLength(1)
  keeper.close()
})
