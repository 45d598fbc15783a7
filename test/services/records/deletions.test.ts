/** A restart never undoes an answered revocation, also while the disk is full. */
import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { reserveFile, reserveSize } from '../../../services/records/reserve.ts'
import { newFolder } from '../../new-folder.ts'
import { aKeeper, aKey, aWebhook, aWrite, newPath, startedAt } from './a-keeper.ts'

/** A keeper with two keys, a webhook and a Discord server, whose disk is then full. */
async function full() {
  const path = newPath()
  const kept = aKeeper(path, { maxPages: 60 })
  await kept.calls.addKey(aKey('abc'))
  await kept.calls.addKey(aKey('def'))
  await kept.calls.addWebhook(aWebhook)
  await kept.calls.addDiscordCode('code', startedAt + 1000, startedAt)
  await kept.calls.bindDiscordServer('code', '7', startedAt)
  let row = 0
  while (kept.changes.at(-1)?.state !== 'failed') {
    row += 1
    await kept.write(row)
  }
  return { ...kept, path, row }
}

/** What a process that starts on this file finds. */
async function afterRestart(path: string) {
  const { calls, changes, keeper } = aKeeper(path)
  const found = {
    changes,
    keys: (await calls.storedKeys()).map(({ id }) => id),
    webhooks: (await calls.storedWebhooks()).map(({ id }) => id),
    servers: await calls.storedDiscordServers(),
    actions: (await calls.audit({ limit: 500 })).entries.map(({ action }) => action),
    rows: Number(new DatabaseSync(path).prepare('SELECT count(*) AS rows FROM audit').get()?.['rows']),
  }
  keeper.close()
  return found
}

describe('while the disk is full', () => {
  test('a revocation, the deletion of a webhook, roles and an unbinding are on the disk before they are answered: a kill -9 undoes none', async () => {
    const { calls, path } = await full()
    expect(await calls.setDiscordRoles('7', [{ id: '8', scopes: ['chat'] }])).toBe(true)
    expect((await afterRestart(path)).servers).toMatchObject([{ roles: [{ id: '8' }] }])
    expect(await calls.revokeKey('abc', 5)).toBe(true)
    expect(await calls.deleteWebhook('hook', 5)).toBe(true)
    expect(await calls.unbindDiscordServer('7', 5)).toBe(true)
    expect(await calls.revokeKey('unknown', 5)).toBe(false)
    // This process never ends cleanly.
    expect(await afterRestart(path)).toMatchObject({ keys: ['def'], webhooks: [], servers: [] })
  })

  test('a deleted account and a sign-out are on the disk before they are answered', async () => {
    const path = newPath()
    const kept = aKeeper(path, { maxPages: 60 })
    const signIn = (subject: string) =>
      kept.calls.signIn(
        { provider: 'oidc', subject, name: subject, groups: [] },
        { id: `session${subject}`, digest: new Uint8Array(32), accountId: subject },
        startedAt,
      )
    for (const subject of ['a', 'b', 'c']) await signIn(subject)
    for (let row = 1; kept.changes.at(-1)?.state !== 'failed'; row += 1) await kept.write(row)
    expect(await kept.calls.deleteAccount('a', startedAt)).toBe(true)
    expect(await kept.calls.signOut('b', startedAt)).toBe(true)
    const { calls, keeper } = aKeeper(path)
    expect((await calls.storedAccounts(Date.now())).map(({ id }) => id).toSorted()).toEqual(['b', 'c'])
    expect((await calls.storedSessions(startedAt)).map(({ id }) => id)).toEqual(['sessionc'])
    keeper.close()
  })

  test('their rows of the audit are written at the end, although the others have no room, and the log says what is lost', async () => {
    const { calls, keeper, notes, path, row } = await full()
    await calls.revokeKey('abc', 5)
    await calls.beganWrite(aWrite(row + 1, { action: 'revokeKey', end: { outcome: 'done', status: 200 } }))
    keeper.close()
    expect(notes).toEqual(['records that were in memory could not be written to the disk before the end'])
    const { keys, actions } = await afterRestart(path)
    expect([keys, actions[0]]).toEqual([['def'], 'revokeKey'])
  })

  test('if it has room again before a clean end, all rows are written, however distant the next attempt is', async () => {
    const { calls, keeper, notes, path, write, row, pass } = await full()
    pass(100)
    await calls.revokeKey('abc', 5)
    await write(row + 1)
    const db = new DatabaseSync(path)
    db.exec('DELETE FROM audit')
    db.close()
    keeper.close()
    expect(notes).toEqual([])
    const { keys, actions } = await afterRestart(path)
    expect([keys, actions]).toEqual([['def'], ['setTime', 'setTime']])
  })
})

test('on an unwritable disk a revocation is answered as stored in memory, and is written as soon as possible', async () => {
  const path = newPath()
  const { calls, keeper, pass } = aKeeper(path)
  await calls.addKey(aKey('abc'))
  await calls.addKey(aKey('def'))
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  expect(await calls.revokeKey('abc', 5)).toBe('memory')
  other.exec('ROLLBACK')
  other.close()
  pass(61)
  expect(await calls.revokeKey('def', 5)).toBe(true)
  expect((await afterRestart(path)).keys).toEqual([])
  keeper.close()
})

test('an answered revocation is in the database itself, not only in its log: a power failure does not undo it', async () => {
  const path = newPath()
  const { calls, keeper } = aKeeper(path)
  await calls.addKey(aKey('abc'))
  await calls.addKey(aKey('def'))
  expect(await calls.revokeKey('abc', 5)).toBe(true)
  const copy = join(newFolder(), 'records.db')
  copyFileSync(path, copy)
  expect((await afterRestart(copy)).keys).toEqual(['def'])
  keeper.close()
})

test('records that can be kept in memory only lose nothing without a line in the log', async () => {
  const file = join(newFolder(), 'data')
  writeFileSync(file, '')
  const { calls, keeper, notes } = aKeeper(join(file, 'records.db'))
  await calls.addKey(aKey('abc'))
  expect(await calls.revokeKey('abc', 5)).toBe('memory')
  keeper.close()
  expect(notes).toHaveLength(1)
})

test('room for deletions is reserved on the disk, with bytes that no file system compresses away', async () => {
  const path = newPath()
  const { keeper } = aKeeper(path)
  const reserve = statSync(join(dirname(path), reserveFile))
  expect([reserve.size, (reserve.mode & 0o777).toString(8)]).toEqual([reserveSize, '600'])
  expect(reserve.blocks * 512).toBeGreaterThanOrEqual(reserveSize)
  keeper.close()
})

test('below the reserve of the disk the database does not grow; revocations are still written, and all rows once there is room', async () => {
  const path = newPath()
  let isLow = false
  const { calls, changes, keeper, write, pass, rows } = aKeeper(path, { isLow: () => isLow })
  await calls.addKey(aKey('abc'))
  isLow = true
  pass(1)
  let row = 0
  while (changes.at(-1)?.state !== 'failed' && row < 5000) {
    await write(...Array.from({ length: 50 }, (_row, at) => row + at + 1))
    row += 50
  }
  expect(changes.at(-1)).toMatchObject({ state: 'failed', trouble: 'full' })
  pass(61)
  expect(changes.at(-1)?.state).toBe('failed')
  expect(await calls.revokeKey('abc', 5)).toBe(true)
  isLow = false
  pass(61)
  expect(changes.at(-1)).toEqual({ state: 'ok' })
  expect(await rows(1)).toEqual([row])
  keeper.close()
  expect((await afterRestart(path)).rows).toBe(row)
})

test('outages of the chat that were kept in memory replace none on the disk, and all are read oldest first', async () => {
  const path = newPath()
  const folder = dirname(path)
  const outage = (minute: number) => ({
    after: minute,
    from: `2026-11-24T10:0${minute}:00.000Z`,
    to: `2026-11-24T10:0${minute}:30.000Z`,
  })
  const before = aKeeper(path)
  for (const minute of [1, 2]) await before.calls.chatOutage(outage(minute))
  before.keeper.close()
  renameSync(folder, `${folder}-away`)
  writeFileSync(folder, '')
  const { calls, changes, keeper, pass } = aKeeper(path)
  await calls.chatOutage(outage(3))
  expect((await calls.keptChat(10)).outages).toEqual([outage(3)])
  rmSync(folder)
  renameSync(`${folder}-away`, folder)
  pass(61)
  expect(changes.at(-1)).toEqual({ state: 'ok' })
  expect((await calls.keptChat(10)).outages).toEqual([outage(1), outage(2), outage(3)])
  keeper.close()
})

test('the reserve is refilled after its use', async () => {
  const path = newPath()
  const { keeper } = aKeeper(path)
  const file = join(dirname(path), reserveFile)
  rmSync(file)
  keeper.close()
  const again = aKeeper(path)
  onTestFinished(() => again.keeper.close())
  expect(existsSync(file)).toBe(true)
})

test('rows of what was deleted leave the disk a day later, and never while they are in memory only', async () => {
  const path = newPath()
  const { calls, keeper, clock, pass, becomeSteady } = aKeeper(path)
  becomeSteady()
  const rows = () => keeper.measured().rowsOf
  const delete_ = async (id: string) => {
    await calls.addKey(aKey(id))
    await calls.revokeKey(id, clock.now)
  }
  await delete_('abc')
  pass(61)
  expect(rows()['keys']).toBe(1)
  clock.now += 86_400_000
  pass(61)
  expect(rows()['keys']).toBe(0)
  await calls.addKey(aKey('def'))
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  expect(await calls.revokeKey('def', clock.now)).toBe('memory')
  clock.now += 86_400_000
  // Still in memory: each attempt finds the database locked.
  keeper.tick()
  other.exec('ROLLBACK')
  other.close()
  expect((await afterRestart(path)).keys).toEqual(['def'])
  pass(61)
  expect((await afterRestart(path)).keys).toEqual([])
  keeper.close()
})
