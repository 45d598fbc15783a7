/** An object that hibernates, is evicted or ends: the link to its farm, and the state of the game. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, test } from 'vitest'
import { offlineStatus } from '../../../handlers/offline-status.ts'
import type { FarmObject } from '../../../runtime/edge/farm-object.ts'
import { eventually } from '../../wait.ts'
import { expectUnknown, farm, get, health, openOrigin, setTime, status } from './origin.ts'

afterEach(reset)

/** With its body read to the end: an object that still sends cannot be evicted. */
const askStatus = async () => {
  const reply = await get('/status')
  const json = await reply.json<{ lastUpdated: string }>()
  return { status: reply.status, json, retryAfter: reply.headers.get('retry-after') }
}

describe('an object that ends before it has answered', () => {
  /** Ends the object at once, as a fault or a new version of the Worker does. */
  const end = () =>
    runInDurableObject(farm(), (_: FarmObject, ctx) => ctx.abort('ended by a test')).catch(() => undefined)

  test('during a write: whether the change was made is unknown', async () => {
    const origin = await openOrigin('run-one-1')
    const asked = setTime()
    await origin.take('call')
    await end()
    await expectUnknown(await asked)
  })

  test('during a read: the game is unavailable, and trying again is safe', async () => {
    const origin = await openOrigin('run-one-1')
    const asked = get('/rendering')
    await origin.take('call')
    await end()
    const answer = await asked
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'game_unavailable', retry: true }),
    ])
  })
})

describe('after hibernation', () => {
  test('the link stays: calls cross it, and the farm is not offline in between', async () => {
    const origin = await openOrigin('run-one-1')
    await evictDurableObject(farm())
    expect(await (await get('/status')).json()).toMatchObject({ farmName: 'Clover', isOnline: true })
    const asked = get('/rendering')
    const call = await origin.take('call')
    origin.send(`{"type":"answer","id":${call['id']}}\n30`)
    expect(await (await asked).json()).toMatchObject({ fps: 30 })
  })

  test('a farm without a link is 503 with its last status, and its lastUpdated stands still', async () => {
    const origin = await openOrigin('run-one-1')
    const linkedAt = Date.now()
    origin.ws.close(1001, 'stopping')
    await eventually(async () => expect((await askStatus()).status).toBe(503))
    const before = await askStatus()
    expect(before.retryAfter).toMatch(/^\d+$/)
    expect(before.json).toEqual({
      success: false,
      error: expect.any(String),
      code: 'game_unavailable',
      retry: true,
      ...offlineStatus(status),
      lastUpdated: expect.any(String),
      cause: expect.objectContaining({ code: 'link_down' }),
    })
    expect(Date.parse(before.json.lastUpdated)).toBeGreaterThanOrEqual(linkedAt - 1000)
    await evictDurableObject(farm())
    expect(await askStatus()).toEqual(before)
  })

  test('a farm whose game server is offline is still offline', async () => {
    const origin = await openOrigin('run-one-1')
    const awaySince = Date.now() - 10_000
    origin.send({ type: 'health', health: { ...health, gameAvailable: false, awaySince } })
    await eventually(async () => expect((await askStatus()).status).toBe(503))
    await evictDurableObject(farm())
    expect(await askStatus()).toMatchObject({
      status: 503,
      json: { code: 'game_unavailable', isOnline: false, farmName: 'Clover' },
    })
    origin.send({ type: 'health', health })
    await eventually(async () => expect((await askStatus()).status).toBe(200))
  })

  test('lastUpdated is the time of the last heartbeat, which wakes no object', async () => {
    const origin = await openOrigin('run-one-1')
    const lastUpdated = async () => Date.parse((await askStatus()).json.lastUpdated)
    const before = await lastUpdated()
    await eventually(() => expect(Date.now()).toBeGreaterThan(before + 1000), 5000)
    await evictDurableObject(farm())
    const beat = Date.now()
    origin.send('{"type":"ping"}')
    await origin.take('pong')
    // A sleeping object cannot be evicted.
    await expect(evictDurableObject(farm())).rejects.toThrow()
    expect(await lastUpdated()).toBeGreaterThanOrEqual(beat)
  })
})
