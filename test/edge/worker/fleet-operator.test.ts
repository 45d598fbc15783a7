/** What the operator of a fleet sets and begins: tags, notes, actions, links into dashboards. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import * as v from 'valibot'
import { afterEach, expect, test, vi } from 'vitest'
import { fleetAction } from '../../../handlers/fleet-action.ts'
import type { FleetObject } from '../../../runtime/edge/fleet-object.ts'
import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, openLink } from './fleet.ts'

afterEach(reset)
afterEach(() => vi.restoreAllMocks())

const send = (method: string, path: string, body: unknown, key = fleetKey) =>
  exports.default.fetch(`https://edge.example${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
const fleet = () => env.FLEET.getByName('fleet')
const listed = async () =>
  (await (await ask('GET', '/farms', fleetKey)).json<{ farms: Record<string, unknown>[] }>()).farms

const begin = async (request: object): Promise<string> => {
  const answer = await send('POST', '/farms/actions', request)
  expect(answer.status).toBe(202)
  return v.parse(v.strictObject({ id: v.string() }), await answer.json()).id
}
const shown = async (id: string) =>
  v.parse(fleetAction, await (await ask('GET', `/farms/actions?id=${id}`, fleetKey)).json())
const ended = (id: string) =>
  eventually(async () => {
    const action = await shown(id)
    expect(action.state).toBe('ended')
    return action.outcomes
  }, 20_000)

interface Heard {
  readonly method: string
  readonly args: readonly unknown[]
}
const announced = JSON.stringify({ status: 200, result: { success: true, message: 'Announced' } })
const isAnnounce = ({ method, args }: Heard) =>
  method === 'dispatch' && Object(args[0]).operationId === 'announce'

/** Links a farm that answers calls with `answer`; undefined for none. @returns its calls */
async function answering(farm: string, answer: (call: Heard) => string | undefined = () => announced) {
  const keys = await create(farm)
  const { ws, heard } = await openLink(farm, keys)
  const calls: Heard[] = []
  ws.addEventListener('message', ({ data }: MessageEvent) => {
    const { type, id, method, args } = JSON.parse(String(data))
    if (type !== 'call') return
    if (method === 'fleetChanged') return
    calls.push({ method, args })
    const body = answer({ method, args })
    if (body !== undefined) ws.send(`{"type":"answer","id":${id}}${body === '' ? '' : `\n${body}`}`)
  })
  await eventually(() => expect(heard[0]).toContain('"welcome"'))
  return { calls, ws }
}
const hello = { action: 'announce', arguments: { message: 'The farm restarts at 6' } }

test('PATCH sets the tags and the note of a farm, and is 200 with the entry', async () => {
  await create('clover')
  const answer = await send('PATCH', '/farms/clover', { tags: ['eu', 'paid', 'eu'], note: 'Moves in May' })
  const entry = {
    farm: 'clover',
    createdAt: expect.any(String),
    linked: false,
    trouble: ['never_linked'],
    tags: ['eu', 'paid'],
    note: 'Moves in May',
  }
  expect([answer.status, await answer.json()]).toEqual([200, entry])
  expect(await listed()).toEqual([entry])
})

test('PATCH keeps an absent member', async () => {
  await create('clover')
  await send('PATCH', '/farms/clover', { tags: ['eu'], note: 'Moves in May' })
  expect(await (await send('PATCH', '/farms/clover', { note: 'Has moved' })).json()).toMatchObject({
    tags: ['eu'],
    note: 'Has moved',
  })
  const noteless = await (await send('PATCH', '/farms/clover', { tags: ['us'], note: '' })).json()
  expect(noteless).toMatchObject({ tags: ['us'] })
  expect(noteless).not.toHaveProperty('note')
})

test('tags and notes that look the same are stored as the same: in Unicode form C, without blanks at their ends', async () => {
  await create('clover')
  await send('PATCH', '/farms/clover', {
    tags: [' Cafe\u0301', 'Caf\u00e9', '喵 喵'],
    note: ' re\u0301\nsume\u0301 ',
  })
  expect(await listed()).toMatchObject([{ tags: ['Caf\u00e9', '喵 喵'], note: 'r\u00e9\nsum\u00e9' }])
  const answer = await send('POST', '/farms/actions', { ...hello, tags: ['Cafe\u0301 '] })
  expect(answer.status).toBe(202)
})

test.each(['actions', 'targets'])(
  'a farm that was named %s before that was reserved can be deleted, and not made',
  async (farm) => {
    await runInDurableObject(fleet(), (_object, { storage: { sql } }) => {
      sql.exec('INSERT INTO farms (farm, createdAt) VALUES (?, ?)', farm, new Date().toISOString())
    })
    const statuses = []
    for (const method of ['PUT', 'DELETE', 'DELETE'])
      statuses.push((await ask(method, `/farms/${farm}`, fleetKey)).status)
    expect(statuses).toEqual([400, 200, 404])
    expect(await listed()).toEqual([])
  },
)

test('PATCH of an unknown farm is 404 farm_not_found', async () => {
  const answer = await send('PATCH', '/farms/clover', { tags: [] })
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'farm_not_found' }])
})

test('tags and the note survive a restart of the fleet object, and are deleted with the farm', async () => {
  await create('clover')
  await send('PATCH', '/farms/clover', { tags: ['eu'], note: 'Moves in May' })
  await evictDurableObject(fleet())
  expect(await listed()).toMatchObject([{ tags: ['eu'], note: 'Moves in May' }])
  await ask('DELETE', '/farms/clover', fleetKey)
  await create('clover')
  expect(await listed()).toMatchObject([{ tags: [] }])
  expect((await listed())[0]).not.toHaveProperty('note')
})

test.each([
  ['PATCH', '/farms/clover', { notes: 'x' }, 'notes'],
  ['PATCH', '/farms/clover?x=1', {}, 'x'],
  ['POST', '/farms/actions', { action: 'backup', farms: [], tags: [] }, 'farms'],
  ['POST', '/farms/actions', { action: 'backup', farms: ['clover'], now: true }, 'now'],
  [
    'POST',
    '/farms/actions',
    { action: 'restart', farms: ['clover'], arguments: { when: 'later' } },
    'arguments.when',
  ],
  [
    'POST',
    '/farms/actions',
    { action: 'restart', farms: ['clover'], arguments: { warnMinutes: [1, 5] } },
    'arguments.warnMinutes',
  ],
  [
    'POST',
    '/farms/actions',
    { action: 'backup', farms: ['clover'], arguments: { force: true } },
    'arguments.force',
  ],
  ['GET', '/farms/actions?id=', undefined, 'id'],
])('%s %s with %j is 400 with the member at fault', async (method, path, body, parameter) => {
  await create('clover')
  const answer = await send(method, path, body ?? '')
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'invalid_parameter', parameter }),
  ])
})

test('an action calls the farms and those with a tag, once each, and has one outcome for each farm', async () => {
  const [clover, daisy, rose] = [await answering('clover'), await answering('daisy'), await answering('rose')]
  for (const farm of ['clover', 'daisy']) await send('PATCH', `/farms/${farm}`, { tags: ['eu', farm] })
  const outcomes = await ended(await begin({ ...hello, farms: ['daisy'], tags: ['eu'] }))
  expect(outcomes).toEqual([
    { farm: 'clover', outcome: 'succeeded' },
    { farm: 'daisy', outcome: 'succeeded' },
  ])
  const body = JSON.stringify({ message: 'The farm restarts at 6' })
  for (const { calls } of [clover, daisy])
    expect(calls).toMatchObject([{ method: 'dispatch', args: [{ operationId: 'announce', body }] }])
  expect(rose.calls).toEqual([])
})

test("an action is in the audit of each farm, with the fleet's key", async () => {
  const { calls } = await answering('clover')
  await ended(await begin({ ...hello, farms: ['clover'] }))
  expect(calls.find(isAnnounce)?.args).toMatchObject([{ holder: { id: 'fleet_key', name: 'FLEET_KEY' } }])
})

test('one bad farm does not halt the others', async () => {
  await create('away')
  await answering('clover')
  await answering('hangs', () => undefined)
  await answering('rude', () => '{"rude":true}')
  const id = await begin({ ...hello, farms: ['away', 'clover', 'hangs', 'missing', 'rude'], atOnce: 2 })
  await eventually(async () => expect((await shown(id)).outcomes).toHaveLength(4))
  expect((await shown(id)).state).toBe('running')
  const outcomes = await ended(id)
  expect(outcomes.map(({ farm, outcome }) => [farm, outcome])).toEqual([
    ['away', 'failed'],
    ['clover', 'succeeded'],
    ['hangs', 'failed'],
    ['missing', 'failed'],
    ['rude', 'failed'],
  ])
  expect(outcomes.find(({ farm }) => farm === 'hangs')?.detail).toContain('unknown')
  expect(outcomes.find(({ farm }) => farm === 'missing')?.detail).toContain('no farm')
})

test('no more farms than atOnce are called at a time', async () => {
  const farms = ['a', 'b', 'c', 'd', 'e', 'f']
  let [open, most] = [0, 0]
  for (const farm of farms) {
    const { ws } = await answering(farm, () => undefined)
    ws.addEventListener('message', ({ data }: MessageEvent) => {
      const { id, ...call } = JSON.parse(String(data))
      if (call.type !== 'call' || !isAnnounce(call)) return
      open += 1
      most = Math.max(most, open)
      setTimeout(() => {
        open -= 1
        ws.send(`{"type":"answer","id":${id}}\n${announced}`)
      }, 50)
    })
  }
  const outcomes = await ended(await begin({ ...hello, farms, atOnce: 2 }))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(farms.map(() => 'succeeded'))
  expect(most).toBe(2)
})

test('after stopAfterFailures failures the farms that were not called are skipped', async () => {
  for (const farm of ['a', 'b', 'c']) await create(farm)
  const { calls } = await answering('d')
  const outcomes = await ended(
    await begin({ ...hello, farms: ['a', 'b', 'c', 'd'], atOnce: 1, stopAfterFailures: 2 }),
  )
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'skipped', 'skipped'])
  expect(calls).toEqual([])
})

test('an action that its object did not survive continues, and does not repeat the call that was under way', async () => {
  const [underWay, waiting] = [await answering('a'), await answering('b')]
  const id = await begin({ ...hello, farms: ['a', 'b'] })
  await ended(id)
  // As the tables are when the object ends while it calls `a`.
  await runInDurableObject(fleet(), (_object, { storage: { sql } }) => {
    sql.exec('UPDATE actions SET ended = 0')
    sql.exec("UPDATE actionFarms SET outcome = CASE farm WHEN 'a' THEN 'called' ELSE 'waiting' END")
  })
  await evictDurableObject(fleet())
  expect((await shown(id)).state).toBe('running')
  await runInDurableObject(fleet(), (object: FleetObject) => object.alarm())
  expect(await ended(id)).toEqual([
    { farm: 'a', outcome: 'failed', detail: expect.stringContaining('unknown') },
    { farm: 'b', outcome: 'succeeded' },
  ])
  const times = (calls: readonly Heard[]) => calls.filter(isAnnounce).length
  expect([times(underWay.calls), times(waiting.calls)]).toEqual([1, 2])
})

test('the creation of a farm does not end the alarm of a running action', async () => {
  const alarm = () => runInDurableObject(fleet(), (_object, { storage }) => storage.getAlarm())
  const { calls } = await answering('clover', () => undefined)
  await begin({ ...hello, farms: ['clover'] })
  await eventually(() => expect(calls.some(isAnnounce)).toBe(true))
  expect(await alarm()).toBeGreaterThan(Date.now())
  await create('daisy')
  expect(await alarm()).toBeGreaterThan(Date.now())
})

test('an action that cannot be read ends with failures, and does not stall the others', async () => {
  const { calls } = await answering('b')
  const [unreadable, good] = [
    await begin({ ...hello, farms: ['b'] }),
    await begin({ ...hello, farms: ['b'] }),
  ]
  await ended(unreadable)
  await ended(good)
  await runInDurableObject(fleet(), (_object, { storage: { sql } }) => {
    sql.exec('UPDATE actions SET ended = 0')
    sql.exec("UPDATE actions SET what = '{' WHERE id = ?", unreadable)
    sql.exec("UPDATE actionFarms SET outcome = 'waiting'")
  })
  await evictDurableObject(fleet())
  await runInDurableObject(fleet(), (object: FleetObject) => object.alarm())
  expect(await ended(unreadable)).toMatchObject([{ outcome: 'failed' }])
  expect(await ended(good)).toMatchObject([{ outcome: 'succeeded' }])
  expect(calls.filter(isAnnounce)).toHaveLength(3)
})

test('a farm that is deleted before its turn is a failure, also when a farm of its name is made again', async () => {
  let answerA = () => {}
  const { ws, calls } = await answering('a', () => undefined)
  ws.addEventListener('message', ({ data }: MessageEvent) => {
    const { id, ...call } = JSON.parse(String(data))
    if (call.type === 'call' && isAnnounce(call))
      answerA = () => ws.send(`{"type":"answer","id":${id}}\n${announced}`)
  })
  await answering('b')
  const id = await begin({ ...hello, farms: ['a', 'b'], atOnce: 1 })
  await eventually(() => expect(calls.some(isAnnounce)).toBe(true))
  await ask('DELETE', '/farms/b', fleetKey)
  const again = await answering('b')
  answerA()
  expect(await ended(id)).toEqual([
    { farm: 'a', outcome: 'succeeded' },
    { farm: 'b', outcome: 'failed', detail: 'The farm was deleted' },
  ])
  expect(again.calls).toEqual([])
})

test('unknown names are failures before any farm is called', async () => {
  await answering('a', () => undefined)
  const unknown = Array.from({ length: 1999 }, (_, at) => `unknown-${at}`)
  const id = await begin({ ...hello, farms: ['a', ...unknown], atOnce: 1 })
  const { state, outcomes } = await shown(id)
  expect([state, outcomes.length]).toEqual(['running', 1999])
  expect(outcomes[0]).toMatchObject({ outcome: 'failed', detail: 'There is no farm of this name' })
})

test('an action is stored without the names of its farms, and the last 100 that ended are kept', async () => {
  const ids: string[] = []
  for (let count = 0; count < 102; count += 1) ids.push(await begin({ ...hello, farms: ['unknown'] }))
  await ended(ids.at(-1) ?? '')
  const kept = await runInDurableObject(fleet(), (_object, { storage: { sql } }) =>
    ['actions', 'actionFarms'].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
  )
  expect(kept.map(({ length }) => length)).toEqual([100, 100])
  expect(JSON.stringify(kept[0])).not.toContain('unknown')
})

test('what a farm answers is cut: an operation with an endless id succeeds without it, and a sentence has at most 300 characters', async () => {
  const operation = {
    id: 'x'.repeat(100_000),
    action: 'restart',
    when: 'now',
    state: 'waiting',
    requestedAt: '2026-11-21T12:00:00.000Z',
    by: { id: 'fleet_key', name: 'FLEET_KEY' },
    steps: [],
  }
  const problem = { code: 'already_running', message: '\u{1f33e}'.repeat(4000), details: {} }
  await answering('a', ({ method }) =>
    method === 'dispatch' ? JSON.stringify({ status: 202, result: { operation } }) : '',
  )
  await answering('b', ({ method }) => (method === 'dispatch' ? JSON.stringify({ problem }) : ''))
  const [a, b] = await ended(await begin({ action: 'restart', farms: ['a', 'b'] }))
  expect(a).toEqual({ farm: 'a', outcome: 'succeeded' })
  expect(b).toMatchObject({ farm: 'b', outcome: 'failed' })
  expect(b?.detail?.length).toBeLessThanOrEqual(300)
})

test('without an id, the kept actions are listed, newest first, with the number of farms for each outcome', async () => {
  const all = async () => (await ask('GET', '/farms/actions', fleetKey)).json()
  expect(await all()).toEqual({ actions: [] })
  await answering('a')
  await answering('b', () => undefined)
  const first = await begin({ ...hello, farms: ['a', 'missing'] })
  await ended(first)
  const second = await begin({ action: 'restart', farms: ['b', 'missing'] })
  const at = expect.stringMatching(/^20.*Z$/)
  const counts = { farms: 2, succeeded: 0, failed: 1, skipped: 0 }
  expect(await all()).toEqual({
    actions: [
      { id: second, action: 'restart', at, state: 'running', ...counts },
      { id: first, action: 'announce', at, state: 'ended', ...counts, succeeded: 1 },
    ],
  })
})

test('an unknown action is 404 action_not_found', async () => {
  const answer = await ask('GET', '/farms/actions?id=x', fleetKey)
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'action_not_found' }])
})

test.each([
  [
    'restart',
    { when: 'empty' },
    'restartGame',
    202,
    {
      operation: {
        id: 'op',
        action: 'restart',
        when: 'empty',
        state: 'waiting',
        requestedAt: '2026-11-21T12:00:00.000Z',
        by: { id: 'fleet_key', name: 'FLEET_KEY' },
        steps: [],
      },
    },
  ],
  [
    'backup',
    {},
    'makeBackup',
    200,
    {
      id: 'x',
      madeAt: '2026-11-21T12:00:00.000Z',
      reason: 'manual',
      farmName: 'Clover',
      season: 'spring',
      day: 1,
      year: 1,
      bytes: 1,
      offsite: 'none',
      created: false,
    },
  ],
] as const)(
  'the action %s calls the endpoint of the farm',
  async (action, args, operationId, status, result) => {
    const { calls } = await answering('clover', ({ method, args }) => {
      const [call] = args as [{ operationId?: string } | undefined]
      if (call?.operationId === 'getHostOperations')
        return JSON.stringify({
          status: 200,
          result: { operations: [{ ...Object(result).operation, state: 'succeeded' }] },
        })
      return method === 'dispatch' ? JSON.stringify({ status, result }) : ''
    })
    const outcomes = await ended(await begin({ action, farms: ['clover'], arguments: args }))
    expect(outcomes).toEqual([{ farm: 'clover', outcome: 'succeeded' }])
    const [dispatched] = calls.filter(({ method }) => method === 'dispatch')
    expect(dispatched?.args).toMatchObject([
      { operationId, holder: { id: 'fleet_key', name: 'FLEET_KEY', scopes: ['control'] } },
    ])
  },
)

test.each([-1, 25])(
  'a link is refused where the clocks of farm and edge differ: its key would end in %i h',
  async (hours) => {
    const expiresAt = new Date(Date.now() + hours * 3_600_000).toISOString()
    const made = { id: 'a', name: 'b', scopes: ['admin'], createdAt: expiresAt, expiresAt, key: 'fg_a_b' }
    await answering('clover', ({ method }) =>
      method === 'dispatch' ? JSON.stringify({ status: 201, result: made }) : '',
    )
    const answer = await ask('POST', '/farms/clover/dashboard-link', fleetKey)
    expect([answer.status, await answer.json()]).toMatchObject([
      502,
      { error: expect.stringContaining('clock') },
    ])
  },
)

test('an action for tags that no farm has is 400, and none begins', async () => {
  const answer = await ask(
    'POST',
    '/farms/actions',
    fleetKey,
    { 'Content-Type': 'application/json' },
    {
      action: 'backup',
      tags: ['typo'],
    },
  )
  expect([answer.status, await answer.json()]).toMatchObject([400, { parameter: 'tags' }])
})

test('a link into a dashboard has a key for an hour that the farm made for the fleet key', async () => {
  const made = {
    id: '6f1c2a9b03de',
    name: 'Fleet dashboard link',
    scopes: ['admin'],
    createdAt: '2026-11-21T12:00:00.000Z',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    key: 'fg_6f1c2a9b03de_secret',
  }
  const { calls } = await answering('clover', ({ method }) =>
    method === 'dispatch' ? JSON.stringify({ status: 201, result: made }) : '',
  )
  const answer = await ask('POST', '/farms/clover/dashboard-link', fleetKey)
  expect([answer.status, await answer.json()]).toEqual([
    201,
    { url: `https://edge.example/farms/clover/#key=${made.key}`, expiresAt: made.expiresAt },
  ])
  const [dispatched] = calls.filter(({ method }) => method === 'dispatch')
  expect(dispatched?.args).toMatchObject([
    {
      operationId: 'createKey',
      body: expect.stringContaining('"expiresInMinutes":60'),
      holder: { id: 'fleet_key', name: 'FLEET_KEY' },
    },
  ])
})

test('a link into the dashboard of a farm that is unknown is 404, and of one that is offline 503', async () => {
  await create('clover')
  const status = async (farm: string) => {
    const answer = await ask('POST', `/farms/${farm}/dashboard-link`, fleetKey)
    return [answer.status, (await answer.json<{ code: string }>()).code]
  }
  expect(await status('daisy')).toEqual([404, 'farm_not_found'])
  expect(await status('clover')).toEqual([503, 'game_unavailable'])
})

test('a farm that refuses the key of a link cannot end the session of the fleet', async () => {
  const problem = { code: 'unauthorized', message: 'Unauthorized', details: {} }
  await answering('clover', ({ method }) => (method === 'dispatch' ? JSON.stringify({ problem }) : ''))
  const answer = await ask('POST', '/farms/clover/dashboard-link/', fleetKey)
  expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'bad_game_response' }])
})

test('a link into the dashboard of a farm that does not answer is 504, and not the outage of the fleet', async () => {
  await answering('clover', ({ method }) => (method === 'dispatch' ? undefined : ''))
  const answer = await ask('POST', '/farms/clover/dashboard-link', fleetKey)
  expect([answer.status, await answer.json()]).toMatchObject([504, { code: 'game_timeout' }])
})
