/** The API with the calls of existing clients, and exactly the fields and types that they read. */
import { request } from 'node:http'
import * as v from 'valibot'
import { afterAll, describe, expect, test } from 'vitest'
import { openChat } from '../../contract/chat-client.ts'
import { ask, askWithKey } from '../../contract/request.ts'
import { eventually } from '../../wait.ts'
import { nodeServer } from './node-server.ts'
import { bodyOf, exchange, statusOf } from './raw-socket.ts'

const server = await nodeServer()
await server.farm.join({ id: 6_208_260_877_024_290_921n, name: 'Abby' })
afterAll(() => server.stop())

const integer = v.pipe(v.number(), v.integer())
/** The part of an answer that a client reads; more members are fine. */
const reads = (schema: v.GenericSchema, value: unknown) =>
  expect(v.safeParse(schema, value).issues).toBeUndefined()
const get = async (path: string) => {
  const { status, text } = await askWithKey(server, 'GET', path)
  expect([path, status]).toEqual([path, 200])
  return JSON.parse(text)
}

describe('the Discord bot', () => {
  const status = v.looseObject({
    isOnline: v.boolean(),
    isReady: v.boolean(),
    isPaused: v.boolean(),
    playerCount: integer,
    maxPlayers: integer,
    day: integer,
    year: integer,
    timeOfDay: integer,
    steamInviteCode: v.optional(v.string()),
    gogInviteCode: v.optional(v.string()),
    farmName: v.string(),
    farmTypeKey: v.string(),
    season: v.string(),
  })

  test('polls /status three times at its start, then reads players, cabins and settings', async () => {
    for (const _time of [1, 2, 3]) reads(status, await get('/status'))
    reads(
      v.looseObject({ players: v.array(v.looseObject({ name: v.string(), isOnline: v.boolean() })) }),
      await get('/players'),
    )
    reads(
      v.looseObject({ totalCount: integer, assignedCount: integer, availableCount: integer }),
      await get('/cabins'),
    )
    reads(
      v.looseObject({
        server: v.looseObject({ separateWallets: v.boolean(), cabinStrategy: v.string() }),
        game: v.looseObject({ profitMargin: v.number(), spawnMonstersAtNight: v.string() }),
      }),
      await get('/settings'),
    )
  })

  test('!server reads numbers of /stats', async () => {
    const { tps, targetTps, fps, avgTickMs, memoryMb } = await get('/stats')
    for (const number of [tps, targetTps, fps, avgTickMs, memoryMb])
      expect(Number(number).toFixed(1)).toMatch(/^\d/)
  })

  test('authenticates first, pings, relays both ways, and reconnects after the server closed', async () => {
    for (const _session of ['first', 'after a reconnect']) {
      const bot = await openChat(server)
      bot.send({ type: 'auth', payload: { token: server.key } })
      await bot.take('auth_success')
      bot.send({ type: 'ping' })
      await bot.take('pong')
      await server.farm.say(6_208_260_877_024_290_921n, 'hello Discord')
      const line = await bot.take('chat')
      reads(
        v.looseObject({ playerName: v.string(), message: v.string(), timestamp: v.string() }),
        line.payload,
      )
      expect(line.payload).toMatchObject({ playerName: 'Abby', message: 'hello Discord' })
      bot.send({ type: 'chat_send', payload: { author: 'someone#1234', message: 'hello farm' } })
      await eventually(() =>
        expect(server.farm.relayed().at(-1)).toEqual({ author: 'someone#1234', message: 'hello farm' }),
      )
      bot.ws.close()
      await bot.closed
    }
  })

  test('with a wrong key reads the reason in payload.error and keeps reconnecting', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      const bot = await openChat(server)
      bot.send({ type: 'auth', payload: { token: 'wrong' } })
      expect((await bot.take('auth_failed')).payload?.['error']).toEqual(expect.any(String))
      expect((await bot.closed).code).toBe(1008)
      expect(
        (await ask(server, 'GET', '/players', { headers: { Authorization: 'Bearer wrong' } })).status,
      ).toBe(401)
    }
  })
})

test('anxi: a raw HTTP/1.0 GET /health, read until the end, is one JSON value of status ok', async () => {
  const answer = await exchange(server.port, 'GET /health HTTP/1.0\r\n\r\n')
  expect(statusOf(answer)).toBe(200)
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ status: 'ok' })
})

test('anxi: POST with Content-Length: 0, int64 ids, and its error substrings', async () => {
  const answer = await exchange(
    server.port,
    `POST /rendering?fps=5 HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: curl/8\r\nAccept: */*\r\nConnection: close\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: 0\r\n\r\n`,
  )
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ success: true, fps: 5 })
  const online = await askWithKey(server, 'DELETE', '/farmhands?playerId=6208260877024290921')
  expect(online.text.toLowerCase()).toContain('currently online')
  expect((await askWithKey(server, 'DELETE', '/farmhands?playerId=1')).text.toLowerCase()).toContain(
    'not found',
  )
  const admin = await askWithKey(server, 'POST', '/roles/admin?playerId=6208260877024290921')
  expect(admin.text).toContain('"playerId":6208260877024290921,')
})

test('the kit: node:http with a Bearer, ids exact through a reader that quotes unsafe integers', async () => {
  const asked = (path: string, method = 'GET') =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${server.key}`, Accept: 'application/json' }
      const options = { host: '127.0.0.1', port: server.port, path, method, headers, timeout: 2500 }
      request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, text }))
      })
        .on('error', reject)
        .end()
    })
  for (const path of ['/status', '/players', '/farmhands', '/auth', '/health'])
    expect([path, (await asked(path)).status]).toEqual([path, 200])
  const { text } = await asked('/players')
  const { players } = JSON.parse(text.replace(/([[:,])(-?\d{16,})(?=[,}\]])/g, '$1"$2"'))
  expect(players).toContainEqual(expect.objectContaining({ id: '6208260877024290921', name: 'Abby' }))
  const granted = await asked('/roles/admin?name=Abby', 'POST')
  expect([granted.status, JSON.parse(granted.text).success]).toEqual([200, true])
  const deleted = await asked('/farmhands?name=Nobody', 'DELETE')
  expect(JSON.parse(deleted.text)).toMatchObject({ success: false, error: expect.any(String) })
})

test('lantern: every read in turn each 6 s, online is health.gameAvailable, POSTs with an empty body', async () => {
  expect((await ask(server, 'GET', '/health')).json).toMatchObject({ gameAvailable: true })
  for (const path of ['/status', '/players', '/cabins', '/farmhands', '/stats', '/settings', '/rendering'])
    expect(await get(path)).toEqual(expect.any(Object))
  const { status } = await askWithKey(server, 'POST', '/time?value=1300', { body: '' })
  expect(status).toBe(200)
  const screenshot = await get('/screenshot')
  expect(Buffer.from(screenshot.base64Png, 'base64').subarray(1, 4).toString()).toBe('PNG')
})

test('the widget: a cross-origin fetch of /status without a key reads the farm and its lastUpdated', async () => {
  const { headers, json, status } = await ask(server, 'GET', '/status', {
    headers: { Origin: 'https://someones.site', 'Cache-Control': 'no-store' },
  })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  reads(
    v.looseObject({
      isOnline: v.boolean(),
      playerCount: integer,
      maxPlayers: integer,
      farmName: v.string(),
      season: v.string(),
      day: integer,
      year: integer,
      lastUpdated: v.pipe(
        v.string(),
        v.check((text) => Math.abs(Date.now() - Date.parse(text)) < 120_000),
      ),
    }),
    json,
  )
})

test('LoganLazy: strict integers of /status, /players, /health and /settings', async () => {
  const { playerCount, maxPlayers, day, year, timeOfDay, version } = await get('/status')
  for (const number of [playerCount, maxPlayers, day, year, timeOfDay, version])
    expect(number).toSatisfy(Number.isInteger)
  const { tickCount, pendingActions, lastTickMs } = await get('/health')
  for (const number of [tickCount, pendingActions, lastTickMs]) expect(number).toSatisfy(Number.isInteger)
  expect((await get('/settings')).server.maxPlayers).toSatisfy(Number.isInteger)
})
