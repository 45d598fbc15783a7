/** An origin that has the link key and breaks the protocol: its link is closed, and other clients are not affected. */
import { evictDurableObject, reset } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { farm, get, health, line, linkKey, openAuthenticated, openOrigin, status } from './origin.ts'

afterEach(reset)

const hello = {
  type: 'hello',
  version: 1,
  run: 'hostile-run',
  status,
  health,
}

describe('a hostile origin', () => {
  test.each([
    ['no JSON', 'garbage'],
    ['a million nested brackets', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    [
      'a status larger than a row of the storage',
      {
        type: 'event',
        event: { type: 'status_changed', status: { ...status, farmName: 'x'.repeat(600_000) } },
      },
    ],
    ['a second hello', hello],
    [
      'a key with 95,000 scopes',
      { type: 'keys', keys: [{ id: '1', name: 'x', scopes: Array(95_000).fill(0) }] },
    ],
    ['a chat line with a number above any clock', line(Number.MAX_SAFE_INTEGER, 'made up')],
    ['the number of such a line', { type: 'numbers', next: Number.MAX_SAFE_INTEGER }],
    ['an answer to an id never asked', { type: 'answer', id: 9_000_000_000_000_000 }],
  ])('that sends %s is closed 4400, and the farm is offline', async (_what, frame) => {
    const client = await openAuthenticated()
    const origin = await openOrigin('hostile-run')
    origin.send(frame)
    expect(await origin.closed).toMatchObject({ code: 4400 })
    expect((await get('/players')).status).toBe(503)
    client.send({ type: 'ping' })
    await client.take('pong')
  })

  test('that was closed 4400 is answered 429 with Retry-After at its next dial, also by an object that was unloaded, and is let in again within 40 s', async () => {
    const origin = await openOrigin('hostile-run')
    origin.send('garbage')
    expect(await origin.closed).toMatchObject({ code: 4400 })
    const headers = { Upgrade: 'websocket', Authorization: `Bearer ${linkKey}` }
    const dialled = () => exports.default.fetch('https://edge.example/link', { headers })
    for (const unload of [false, true]) {
      if (unload) await evictDurableObject(farm())
      const refused = await dialled()
      expect([refused.status, refused.webSocket]).toEqual([429, null])
      const wait = Number(refused.headers.get('retry-after'))
      expect([wait > 0, wait <= 40]).toEqual([true, true])
      expect(await refused.json()).toMatchObject({ code: 'rate_limited', retry: true })
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 })
    try {
      expect((await dialled()).status).toBe(101)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that sends a binary frame is closed 1003', async () => {
    const origin = await openOrigin('hostile-run')
    origin.ws.send(new Uint8Array([1, 2, 3]))
    expect(await origin.closed).toMatchObject({ code: 1003 })
  })

  test('that sends too many frames is closed 4429, and the next link works', async () => {
    const origin = await openOrigin('hostile-run')
    // Failures of earlier calls: nothing is stored of them, so a busy machine is as fast as the flood.
    const late = { type: 'failure', id: 1, failure: { kind: 'unavailable' } }
    for (let n = 0; n < 6000; n += 1) origin.send(late)
    expect(await origin.closed).toMatchObject({ code: 4429 })
    const honest = await openOrigin('honest-run')
    const asked = get('/rendering')
    const call = await honest.take('call')
    honest.send(`{"type":"answer","id":${call['id']}}\n60`)
    expect(await (await asked).json()).toMatchObject({ fps: 60 })
  })

  test('that answers with another record is 502 bad_game_response', async () => {
    const origin = await openOrigin('hostile-run')
    const nested = `\n${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
    for (const body of ['\n{"players":"none"}', '\nnot json', nested, '']) {
      const asked = get('/players')
      const call = await origin.take('call')
      origin.send(`{"type":"answer","id":${call['id']}}${body}`)
      const answer = await asked
      expect([answer.status, await answer.json()]).toEqual([
        502,
        expect.objectContaining({ code: 'bad_game_response' }),
      ])
    }
  })

  test('that sends its own texts of ids has them replaced by texts made from the ids', async () => {
    const origin = await openOrigin('hostile-run')
    const asked = get('/players')
    const { id } = await origin.take('call')
    const forged =
      '{"players":[{"id":9007199254740993,"idText":"1","name":"Abby","isOnline":true}],"version":1}'
    origin.send(`{"type":"answer","id":${id}}\n${forged}`)
    expect(await (await asked).text()).toBe(forged.replace('"1"', '"9007199254740993"'))
  })

  test('that sends times in the year 9999: /status shows no later time than now, and its lines are delivered', async () => {
    const client = await openAuthenticated()
    const origin = await openOrigin('hostile-run')
    const lastUpdated = '9999-12-31T23:59:59.999-23:59'
    origin.send({
      type: 'event',
      event: { type: 'status_changed', status: { ...status, lastUpdated, day: 9 } },
    })
    origin.send({ ...line(1, 'late'), timestamp: lastUpdated })
    expect((await client.take('chat'))['payload']).toMatchObject({ message: 'late' })
    const shown = await (await get('/status')).json<{ day: number; lastUpdated: string }>()
    expect(shown.day).toBe(9)
    expect(Date.parse(shown.lastUpdated)).toBeLessThanOrEqual(Date.now())
  })
})
