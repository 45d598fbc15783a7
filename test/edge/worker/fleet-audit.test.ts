/**
 * Changes of the fleet in the audit of the farm (docs/keys-and-records.md): the object keeps them until the farm has
 * them.
 */
import { evictDurableObject, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, type Keys, openLink } from './fleet.ts'

afterEach(reset)

type Link = Awaited<ReturnType<typeof openLink>>
const openClover = (keys: Keys): Promise<Link> => openLink('clover', keys, false)
interface Call {
  readonly id: number
  readonly args: readonly [{ readonly action: string; readonly requestId: string }]
}

const from = (requestId: string) => ({ 'X-Request-Id': requestId, 'CF-Connecting-IP': '203.0.113.9' })
const put = async (query: string, requestId: string): Promise<Keys> =>
  (await ask('PUT', `/farms/clover${query}`, fleetKey, from(requestId))).json()

/** The changes that the farm received on this link. */
const reported = ({ heard }: Link): readonly Call[] =>
  heard.map((text) => JSON.parse(text)).filter(({ method }) => method === 'fleetChanged')
/** Waits for a change. @param at the number of earlier ones on this link */
const change = (link: Link, at = 0): Promise<Call> =>
  eventually(() => {
    const call = reported(link)[at]
    if (call === undefined) throw new Error(`reported ${reported(link).length}`)
    return call
  })
const confirm = ({ ws }: Link, { id }: Call): void => ws.send(`{"type":"answer","id":${id}}`)
const named = ({ args: [{ action, requestId }] }: Call) => `${action} ${requestId}`
const settled = async ({ ws, heard }: Link) => {
  const before = heard.length
  ws.send('{"type":"ping"}')
  await eventually(() => expect(heard.slice(before)).toContain('{"type":"pong"}'))
}

test('changes of the farm by its fleet are sent to the farm when it links, in order, each with its caller and time', async () => {
  const before = Date.now()
  await put('', 'first')
  const keys = await put('?rotate=all', 'second')
  const link = await openClover(keys)
  const first = await change(link)
  expect(first.args).toEqual([
    {
      action: 'createFarm',
      requestId: 'first',
      address: '203.0.113.9',
      parameters: {},
      at: expect.any(Number),
      status: 201,
    },
  ])
  expect(Object(first.args[0]).at).toBeGreaterThanOrEqual(before)
  confirm(link, first)
  const second = await change(link, 1)
  expect(second.args).toMatchObject([{ action: 'replaceFarmKeys', requestId: 'second', status: 200 }])
  confirm(link, second)
  await put('?rotate=api&overlapMinutes=5', 'third')
  const third = await change(link, 2)
  expect(third.args).toMatchObject([
    { action: 'replaceFarmKeys', requestId: 'third', parameters: { rotate: 'api', overlapMinutes: 5 } },
  ])
})

test('an unconfirmed change is sent again on the next link, and a confirmed one is not', async () => {
  const keys = await put('', 'first')
  await put('?rotate=api', 'second')
  const broken = await openClover(keys)
  confirm(broken, await change(broken))
  await change(broken, 1)
  broken.ws.close(1000)
  const next = await openClover(keys)
  const again = await change(next)
  expect(named(again)).toBe('replaceFarmKeys second')
  confirm(next, again)
  await settled(next)
  next.ws.close(1000)
  const last = await openClover(keys)
  await eventually(() => expect(last.heard[0]).toContain('"welcome"'))
  await settled(last)
  expect(reported(last)).toEqual([])
})

test('a change outlasts the object that made it', async () => {
  const keys = await put('', 'first')
  await evictDurableObject(env.FARM.getByName('farm/clover'))
  expect(named(await change(await openClover(keys)))).toBe('createFarm first')
})

test('at most 100 changes wait, and the newest are kept', async () => {
  const keys = await put('', 'first')
  for (let count = 1; count <= 100; count += 1) await put('?rotate=api', `rotation-${count}`)
  expect(named(await change(await openClover(keys)))).toBe('replaceFarmKeys rotation-1')
})

test('a linked farm is informed of its deletion before its link is closed', async () => {
  const origin = await openClover(await create('clover'))
  confirm(origin, await change(origin))
  await ask('DELETE', '/farms/clover', fleetKey, from('last'))
  expect(await origin.closed).toBe(4401)
  expect(reported(origin).map(named).at(-1)).toBe('deleteFarm last')
})

test('a farm that is made again does not get the changes of the one before', async () => {
  await put('', 'old')
  await ask('DELETE', '/farms/clover', fleetKey, from('deleted'))
  const link = await openClover(await put('', 'new'))
  expect(named(await change(link))).toBe('createFarm new')
})
