/** Bindings of Discord servers in the records. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ownRecords } from '../../../services/records/own-records.ts'
import { aKeeper, newPath } from './a-keeper.ts'

function kept(path: string) {
  const { calls, keeper, clock, pass, write, changes } = aKeeper(path, { maxPages: 60 })
  const records = ownRecords({ calls, state: () => 'ok', now: () => clock.now, randomBytes })
  return {
    ...records.of('local'),
    close: keeper.close,
    clock,
    pass,
    write,
    changes,
    atEdge: records.of('edge'),
  }
}
const roles = [{ id: '8', scopes: ['chat' as const] }]

test('a code binds one server, once, and not after a quarter of an hour', async () => {
  const { makeDiscordCode, bindDiscordServer, discordServers, clock, close } = kept(newPath())
  const [first, late] = [await makeDiscordCode(), await makeDiscordCode()]
  expect(Date.parse(first.expiresAt) - clock.now).toBe(15 * 60_000)
  expect(await bindDiscordServer({ code: first.code, serverId: '1' })).toBe(true)
  expect(await bindDiscordServer({ code: first.code, serverId: '2' })).toBe(false)
  clock.now += 15 * 60_000
  expect(await bindDiscordServer({ code: late.code, serverId: '2' })).toBe(false)
  expect((await discordServers()).map(({ id }) => id)).toEqual(['1'])
  close()
})

test('codes, servers and roles survive a restart; only the digest of a code is on the disk', async () => {
  const path = newPath()
  const before = kept(path)
  const [used, unused] = [await before.makeDiscordCode(), await before.makeDiscordCode()]
  await before.bindDiscordServer({ code: used.code, serverId: '1' })
  await before.setDiscordRoles({ id: '1', roles })
  before.close()
  for (const file of ['records.db', 'records.db-wal'].map((name) => join(dirname(path), name)))
    for (const { code } of [used, unused]) expect(textOf(file)).not.toContain(code)
  const after = kept(path)
  expect(await after.discordServers()).toMatchObject([{ id: '1', roles }])
  expect(await after.bindDiscordServer({ code: used.code, serverId: '2' })).toBe(false)
  expect(await after.bindDiscordServer({ code: unused.code, serverId: '2' })).toBe(true)
  after.close()
})

test('a server that is bound again keeps its roles, one that was unbound has none', async () => {
  const { makeDiscordCode, bindDiscordServer, setDiscordRoles, unbindDiscordServer, heardDiscord, close } =
    kept(newPath())
  const bind = async () => bindDiscordServer({ code: (await makeDiscordCode()).code, serverId: '1' })
  await bind()
  await setDiscordRoles({ id: '1', roles })
  await bind()
  expect(await heardDiscord({ id: '10', serverId: '1' })).toEqual({ isRepeated: false, roles })
  expect(await unbindDiscordServer('1')).toBe(true)
  expect(await unbindDiscordServer('1')).toBe(false)
  expect(await setDiscordRoles({ id: '1', roles })).toBe(false)
  expect(await heardDiscord({ id: '11', serverId: '1' })).toEqual({ isRepeated: false })
  await bind()
  expect(await heardDiscord({ id: '12', serverId: '1' })).toEqual({ isRepeated: false, roles: [] })
  close()
})

test('a command that reached the farm is a repeat at the edge, for a quarter of an hour', async () => {
  const { heardDiscord, atEdge, clock, close } = kept(newPath())
  const call = { id: '10', serverId: '1' }
  expect(await heardDiscord(call)).toEqual({ isRepeated: false })
  expect(await atEdge.heardDiscord(call)).toEqual({ isRepeated: true })
  expect(await atEdge.heardDiscord({ ...call, id: '11' })).toEqual({ isRepeated: false })
  clock.now += 15 * 60_000
  expect(await heardDiscord(call)).toEqual({ isRepeated: false })
  close()
})

test('a command is a repeat after a restart too, and when the clock was set back', async () => {
  const path = newPath()
  const call = { id: '10', serverId: '1' }
  const before = kept(path)
  expect(await before.heardDiscord(call)).toEqual({ isRepeated: false })
  before.close()
  const after = kept(path)
  after.clock.now -= 90_000_000
  expect(await after.heardDiscord(call)).toEqual({ isRepeated: true })
  expect(await after.atEdge.heardDiscord(call)).toEqual({ isRepeated: true })
  expect(await after.heardDiscord({ ...call, id: '11' })).toEqual({ isRepeated: false })
  after.close()
})

test('a command that arrived while the disk failed is a repeat once it is back', async () => {
  const path = newPath()
  const farm = kept(path)
  const call = (id: string) => ({ id, serverId: '1' })
  await farm.heardDiscord(call('10'))
  for (let row = 1; farm.changes.at(-1)?.state !== 'failed'; row += 1) await farm.write(row)
  expect(await farm.heardDiscord(call('10'))).toEqual({ isRepeated: true })
  expect(await farm.heardDiscord(call('11'))).toEqual({ isRepeated: false })
  const db = new DatabaseSync(path)
  db.exec('DELETE FROM audit')
  db.close()
  farm.pass(61)
  farm.close()
  const again = kept(path)
  expect(await again.heardDiscord(call('11'))).toEqual({ isRepeated: true })
  again.close()
})

test('bindings and unbindings during a failure of the disk are on it when it is back', async () => {
  const path = newPath()
  const farm = kept(path)
  const bind = async (serverId: string) =>
    farm.bindDiscordServer({ code: (await farm.makeDiscordCode()).code, serverId })
  await bind('1')
  for (let row = 1; farm.changes.at(-1)?.state !== 'failed'; row += 1) await farm.write(row)
  expect(await farm.discordServers()).toMatchObject([{ id: '1' }])
  await farm.unbindDiscordServer('1')
  await bind('2')
  const db = new DatabaseSync(path)
  db.exec('DELETE FROM audit')
  db.close()
  farm.pass(61)
  expect(farm.changes.at(-1)).toEqual({ state: 'ok' })
  farm.close()
  const again = kept(path)
  expect((await again.discordServers()).map(({ id }) => id)).toEqual(['2'])
  again.close()
})

test('of 60 servers that are bound at once 50 are bound, and a bound one can be bound again', async () => {
  const { close, ...farm } = kept(newPath())
  const bind = async (serverId: string) =>
    farm.bindDiscordServer({ code: (await farm.makeDiscordCode()).code, serverId })
  const ids = Array.from({ length: 60 }, (_, at) => String(at))
  const outcomes = await Promise.allSettled(ids.map(bind))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: {
      failure: { kind: 'invalid_argument', sentence: expect.stringContaining('50 Discord servers') },
    },
  })
  const [{ id = '' } = {}, ...others] = await farm.discordServers()
  expect([others.length, await bind(id)]).toEqual([49, true])
  close()
})

test('of 150 codes that are made at once 100 are kept', async () => {
  const { close, ...farm } = kept(newPath())
  const codes = await Promise.all(Array.from({ length: 150 }, () => farm.makeDiscordCode()))
  const bound: boolean[] = []
  for (const { code } of codes) bound.push(await farm.bindDiscordServer({ code, serverId: '1' }))
  expect(bound.filter(Boolean)).toHaveLength(100)
  close()
})

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
