/** What the edge can do to the farm's records: its own rows are marked, and it can change no others. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { edgeLimits } from '../../../bridges/linked/edge-limits.ts'
import { rpcServer } from '../../../bridges/linked/rpc-server.ts'
import { dispatchOf } from '../../edge/farm-dispatch.ts'
import { silent } from '../../logs.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { aFarm } from '../simulated/a-farm.ts'

const write = {
  requestId: 'of the test',
  address: '192.0.2.7',
  action: 'setTime',
  parameters: { value: '1200' },
}

function edgeOf() {
  const own = memoryOwnRecords()
  const { farm: game, clock } = aFarm({ seed: 'contract', story: 'steered' })
  const limits = edgeLimits({ reads: 0, writes: 0 }, silent, clock.now)
  const sent: string[] = []
  const records = own.of('edge')
  const server = rpcServer({
    game,
    records,
    dispatch: dispatchOf(game, { records }),
    limits,
    log: silent,
    monotonic: clock.now,
  })(
    (text) => sent.push(text),
    () => false,
  )
  let id = 0
  return {
    here: own.of('local'),
    /** @returns the frame and the body of the answer to a call */
    async call(method: string, ...args: readonly unknown[]) {
      id += 1
      server.call({ type: 'call', id, method, args })
      while (sent.length < id) await turn()
      const [head = '', body] = (sent[id - 1] ?? '').split('\n')
      return { frame: JSON.parse(head), result: body === undefined ? undefined : JSON.parse(body) }
    },
  }
}

test('a row of the edge has the origin edge, whatever the edge sends', async () => {
  const { here, call } = edgeOf()
  const { result } = await call('beganWrite', { ...write, origin: 'local', id: 5, at: 5, outcome: 'done' })
  await call('endedWrite', result, { outcome: 'done', status: 200 })
  expect((await here.audit({ limit: 10 })).entries).toMatchObject([
    { id: String(result), origin: 'edge', outcome: 'done' },
  ])
  expect(result).toBeGreaterThan(1e15)
})

test('the edge cannot change the outcome of a write of another origin', async () => {
  const { here, call } = edgeOf()
  const id = await here.beganWrite(write)
  expect((await call('endedWrite', id, { outcome: 'done', status: 200 })).frame.type).toBe('answer')
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

test('the edge can report no other action as a change of the fleet, and no invalid time', async () => {
  const { here, call } = edgeOf()
  for (const more of [{ action: 'setTime' }, { at: -1 }, { at: 9e15 }, { at: 0.5 }, { parameters: 'text' }])
    expect((await call('fleetChanged', { ...created, ...more })).frame).toMatchObject({
      failure: { kind: 'invalid_argument' },
    })
  expect((await here.audit({ limit: 10 })).entries).toEqual([])
})

test('a row of the edge is as short as one of the farm', async () => {
  const { here, call } = edgeOf()
  for (const more of [
    { action: 'x'.repeat(257) },
    { address: 'x'.repeat(257) },
    { parameters: { value: 'x'.repeat(17_000) } },
    { parameters: 'text' },
  ])
    expect((await call('beganWrite', { ...write, ...more })).frame).toMatchObject({
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

test('an edge one release older, which calls records by their names, is answered that the edge is the older one', async () => {
  const { call } = edgeOf()
  for (const method of ['keys', 'audit', 'makeBackup'])
    expect((await call(method)).frame).toMatchObject({
      failure: { by: 'farmgate', what: 'do that: the edge is older than the farm. Update the edge.' },
    })
})
