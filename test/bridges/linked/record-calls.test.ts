/** What the edge can do to the farm's records: its own rows are marked, and it can change no others. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { changedKeys, keyDigestOf, keyDigests, namedKeyOf } from '../../../bridges/linked/key-digests.ts'
import { readFarmFrame } from '../../../bridges/linked/protocol.ts'
import type { NamedKey } from '../../../lib/keys.ts'
import { countingGame, hostileEdge } from '../../edge/hostile-edge.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { aFarm } from '../simulated/a-farm.ts'
import { callingEdge, servedCalls } from './calling-edge.ts'
import { openEdgeEnd } from './edge-end.ts'
import { farmEnd } from './farm-end.ts'

const write = {
  requestId: 'of the test',
  address: '192.0.2.7',
  action: 'setTime',
  parameters: { value: '1200' },
}

function edgeOf() {
  const own = memoryOwnRecords()
  const { farm: game, clock } = aFarm({ seed: 'contract', story: 'steered' })
  const { call } = callingEdge(servedCalls(game, clock.now, { records: own.of('edge') }))
  return { here: own.of('local'), call }
}

test('a row of the edge has the origin edge, whatever the edge sends', async () => {
  const { here, call } = edgeOf()
  const end = { outcome: 'done', status: 200 } as const
  const { frame } = await call(
    'recordWrite',
    { ...write, origin: 'local', id: 5, at: 5, outcome: 'failed' },
    end,
  )
  expect(frame.type).toBe('answer')
  expect((await here.audit({ limit: 10 })).entries).toMatchObject([
    { action: 'setTime', origin: 'edge', ...end },
  ])
})

test('the edge cannot begin a row, or change one', async () => {
  const { here, call } = edgeOf()
  const id = await here.beganWrite(write)
  for (const [method, ...args] of [
    ['beganWrite', write],
    ['endedWrite', id, { outcome: 'done', status: 200 }],
  ] as const)
    expect((await call(method, ...args)).frame).toMatchObject({ failure: { kind: 'unsupported' } })
  expect((await here.audit({ limit: 10 })).entries).toMatchObject([{ origin: 'local', outcome: 'unknown' }])
})

const created = {
  requestId: 'of the fleet',
  address: '203.0.113.9',
  action: 'createFarm',
  parameters: {},
  at: 1_700_000_000_000,
  status: 201,
}

test('a change of the fleet has one row of the edge, however often the edge sends it', async () => {
  const { here, call } = edgeOf()
  for (let times = 0; times < 3; times += 1) await call('fleetChanged', created)
  await call('fleetChanged', { ...created, at: created.at + 1, action: 'replaceFarmKeys', status: 200 })
  const { at: _at, ...shown } = created
  expect((await here.audit({ limit: 10 })).entries).toMatchObject([
    { action: 'replaceFarmKeys', outcome: 'done', status: 200 },
    {
      ...shown,
      at: new Date(created.at).toISOString(),
      origin: 'edge',
      key: { id: 'fleet_key', name: 'FLEET_KEY' },
      outcome: 'done',
    },
  ])
})

test('a row of the edge that is beyond its bounds is refused', async () => {
  const { here, call } = edgeOf()
  for (const [method, ...row] of [
    ['fleetChanged', { ...created, action: 'setTime' }],
    ['recordWrite', { ...write, action: 'x'.repeat(257) }, { outcome: 'refused', status: 403 }],
  ] as const)
    expect((await call(method, ...row)).frame).toMatchObject({
      type: 'failure',
      failure: { kind: 'invalid_argument' },
    })
  expect((await here.audit({ limit: 10 })).entries).toEqual([])
})

test('the edge can call nothing else of the records by its name', async () => {
  const { call } = edgeOf()
  for (const method of ['storedKeys', 'addKey', 'state', 'of', 'calls', 'close', 'makeKey', 'audit'])
    expect((await call(method)).frame).toMatchObject({ type: 'failure', failure: { kind: 'unsupported' } })
})

const digest = Uint8Array.from({ length: 32 }, (_, index) => 255 - index)
const bot: NamedKey = { id: 'k1', name: 'bot', scopes: ['read', 'chat'], digest }
const guest: NamedKey = { id: 'k2', name: 'guest', scopes: ['read'], digest, expiresAt: 1795262400000 }
const welcome = { type: 'welcome', generation: 1, heard: 0, newest: 0 } as const

const reported = ({ said }: Awaited<ReturnType<typeof farmEnd>>) => said.filter(({ type }) => type === 'keys')

describe('the farm sends its keys', () => {
  test('all with the welcome, then only what has changed, and nothing without a change', async () => {
    const farm = await farmEnd()
    farm.setKeys([bot, guest])
    expect(reported(farm)).toEqual([])
    farm.hear(welcome)
    farm.setKeys([bot, guest])
    const used = { ...guest, expiresAt: 1795262400001 }
    farm.setKeys([bot, used])
    farm.setKeys([used])
    expect(reported(farm)).toEqual([
      { type: 'keys', keys: [keyDigestOf(bot), keyDigestOf(guest)] },
      { type: 'keys', keys: [keyDigestOf(used)], gone: [] },
      { type: 'keys', keys: [], gone: ['k1'] },
    ])
  })

  test('once they are known', async () => {
    const farm = await farmEnd()
    farm.hear(welcome)
    expect(reported(farm)).toEqual([])
    farm.setKeys([bot])
    expect(reported(farm)).toEqual([{ type: 'keys', keys: [keyDigestOf(bot)] }])
  })

  test('to no edge whose link is closed', async () => {
    const farm = await farmEnd()
    farm.hear(welcome)
    farm.connection.closed()
    farm.setKeys([bot])
    expect(reported(farm)).toEqual([])
  })
})

test('over a real link each change of the keys is sent, until the farm stops', async () => {
  const listeners = new Set<() => void>()
  let named: readonly NamedKey[] = []
  const keys = {
    get named() {
      return named
    },
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const edge = await hostileEdge(countingGame({ holds: false }).game, { keys })
  const attacker = await edge.link()
  const heard = () => attacker.heard.filter(({ type }) => type === 'keys')
  await eventually(() => expect(heard()).toEqual([{ type: 'keys', keys: [] }]))
  named = [bot]
  for (const listener of listeners) listener()
  await eventually(() => expect(heard().at(-1)).toEqual({ type: 'keys', keys: [keyDigestOf(bot)], gone: [] }))
  await edge.farm.close()
  expect(listeners.size).toBe(0)
})

test('a key is sent as the hexadecimal digits of its digest, and is the same key at the edge', () => {
  expect(keyDigestOf(bot).digest).toMatch(/^fffefdfc[0-9a-f]{48}e3e2e1e0$/)
  for (const key of [bot, guest]) expect(namedKeyOf(keyDigestOf(key))).toStrictEqual(key)
})

test('the edge delivers the keys that it receives', () => {
  const { hear, taken } = openEdgeEnd()
  hear({ type: 'keys', keys: [keyDigestOf(bot)] })
  expect(taken()).toEqual([['onKeys', [keyDigestOf(bot)], undefined]])
})

test('the edge applies a change to the keys that it has, and has at most 1000', () => {
  const all = [bot, guest].map(keyDigestOf)
  const used = { ...keyDigestOf(guest), expiresAt: 1795262400001 }
  expect(changedKeys(all, [used], ['k1', 'unknown'])).toEqual([used])
  const many = Array.from({ length: 1000 }, (_, at) => ({ ...used, id: `m${at}` }))
  expect(changedKeys(all, many, [])).toHaveLength(1000)
})

describe('the edge does not understand', () => {
  test.each([
    ['an id with other characters', { id: '../x' }],
    ['an empty id', { id: '' }],
    ['an id of 33', { id: 'k'.repeat(33) }],
    ['a name that is too long', { name: 'x'.repeat(65) }],
    ['a scope that is none', { scopes: ['root'] }],
    ['a digest that is too short', { digest: 'ab' }],
    ['a digest that is too long', { digest: '0'.repeat(65) }],
    ['an end at half a millisecond', { expiresAt: 0.5 }],
    ['an end that is not a number', { expiresAt: 'never' }],
  ])('a key with %s', (_what, wrong) => {
    const frame = { type: 'keys', keys: [{ ...keyDigestOf(guest), ...wrong }] }
    expect(readFarmFrame(JSON.stringify(frame))).toBeUndefined()
  })

  test('more than 1000 keys', () => {
    const many = (count: number) => Array.from({ length: count }, () => keyDigestOf(bot))
    expect([v.is(keyDigests, many(1000)), v.is(keyDigests, many(1001))]).toEqual([true, false])
  })
})
