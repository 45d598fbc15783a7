/**
 * What is the same at JunimoServer and farmgate and what differs, in the text of JSON, in headers and in the WebSocket.
 */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../wait.ts'
import { asksBoth, type Case, key } from './asking.ts'
import { otherAnswers, withAddedMembers } from './other-answers.ts'
import { startPair } from './pair.ts'
import { abby, guarded, online, zoe } from './worlds.ts'

const started = async (options: Parameters<typeof startPair>[0] = { key }) => {
  const pair = await startPair(options)
  onTestFinished(() => pair.close())
  pair.server.world.join('Abby', abby)
  await eventually(async () => expect((await pair.bridge.status()).playerCount).toBe(1))
  return { ...pair, both: { game: pair.server.url, farmgate: pair.gate.url } as const }
}
const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'a request of mine' }

/**
 * Sends frames and then a ping, and collects the frames until the pong of that ping, or until the other side closes.
 * @param then runs after that; its chat line is awaited too
 */
async function conversation(url: string, frames: readonly unknown[], then?: () => unknown) {
  const heard: Record<string, unknown>[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  let closed: number | undefined
  socket.on('message', (bytes) => heard.push(JSON.parse(String(bytes))))
  socket.on('close', (code) => {
    closed = code
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const ping = { type: 'ping' }
  for (const frame of [...frames, ping]) socket.send(JSON.stringify(frame))
  const pings = frames.filter((frame) => isDeepStrictEqual(frame, ping)).length
  const pongs = () => heard.filter(({ type }) => type === 'pong').length
  await eventually(() => closed !== undefined || pongs() > pings)
  heard.splice(
    heard.findLastIndex(({ type }) => type === 'pong'),
    pongs() > pings ? 1 : 0,
  )
  if (then !== undefined) {
    await then()
    await eventually(() => heard.at(-1)?.['type'] === 'chat')
  }
  const conversed = { heard, closed }
  socket.terminate()
  return conversed
}
const auth = (token: string) => ({ type: 'auth', payload: { token } })

describe('a program that reads the exact bytes', () => {
  test('finds ids as numbers with every digit in both, and at farmgate also their texts', async () => {
    const { both } = await started()
    const text = async (url: string) => (await fetch(`${url}/players`, { headers })).text()
    expect(await text(both.game)).toMatch(
      /^{"players":\[{"id":9007199254740993,"name":"Abby","isOnline":true}\],"version":\d+}$/,
    )
    expect(await text(both.farmgate)).toMatch(
      /^{"players":\[{"id":9007199254740993,"idText":"9007199254740993","name":"Abby","isOnline":true}\],"version":\d+}$/,
    )
  })

  test('finds 60.0 and seven digits of a second at the game, 60 and three at farmgate', async () => {
    const { both } = await started()
    const text = async (url: string) => (await fetch(`${url}/stats`, { headers })).text()
    expect(await text(both.game)).toMatch(/"tps":60\.0,.*"startedAtUtc":"[^"]*\.\d{7}Z"/)
    expect(await text(both.farmgate)).toMatch(/"tps":60,.*"startedAtUtc":"[^"]*\.\d{3}Z"/)
  })

  test('finds the same type, its own request id and the age of the snapshot in the headers of both', async () => {
    const { both } = await started()
    const own = { ...headers, 'x-request-id': 'mine-1' }
    for (const url of Object.values(both)) {
      const answer = await fetch(`${url}/players`, { headers: own })
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.get('x-request-id')).toBe('mine-1')
      expect(answer.headers.get('x-snapshot-age-ms')).toMatch(/^\d+$/)
      const refused = await fetch(`${url}/players`)
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('reads from both when the filtered value of a long poll last changed, and only if it gave a filter', async () => {
    const { both } = await started()
    for (const url of Object.values(both)) {
      const reported = async (path: string) =>
        (await fetch(url + path, { headers })).headers.get('x-predicate-changed-at-ms-ago')
      for (const path of [
        '/wait/status?playerCount=1',
        `/wait/players?playerId=${abby}`,
        '/wait/farmhands?hasFarmhand=Abby',
      ])
        expect(await reported(path)).toMatch(/^\d+$/)
      for (const path of ['/wait/status', '/wait/players?since=0', '/wait/players?playerId=5&timeout=20'])
        expect([path, await reported(path)]).toEqual([path, null])
    }
  })

  test('finds CORS headers on every answer of the game, at farmgate only on health and status', async () => {
    const { both } = await started()
    const allowed = async (url: string, path: string) =>
      (await fetch(url + path, { headers })).headers.get('access-control-allow-origin')
    expect(await allowed(both.game, '/players')).toBe('*')
    expect(await allowed(both.farmgate, '/players')).toBe(null)
    for (const url of Object.values(both)) expect(await allowed(url, '/status')).toBe('*')
  })
})

describe('a chat client', () => {
  test('is authenticated, gets a pong and receives a line from both; farmgate numbers the line', async () => {
    const { both, server } = await started()
    for (const [which, url] of Object.entries(both)) {
      const { heard } = await conversation(url, [auth(key), { type: 'ping' }], () =>
        server.world.say('Abby', 'hi'),
      )
      expect(heard).toEqual([
        { type: 'auth_success' },
        { type: 'pong' },
        {
          type: 'chat',
          payload: {
            playerName: 'Abby',
            message: 'hi',
            timestamp: expect.any(String),
            ...(which === 'farmgate' && { seq: expect.any(Number) }),
          },
        },
      ])
    }
  })

  test('with a wrong key gets the error at the top level and close 1008 from both; from farmgate in the payload too', async () => {
    const { both } = await started()
    for (const url of Object.values(both)) {
      const { heard, closed } = await conversation(url, [auth('wrong')])
      expect(heard).toEqual([expect.objectContaining({ type: 'auth_failed', error: expect.any(String) })])
      expect(closed).toBe(1008)
    }
    const { heard } = await conversation(both.farmgate, [auth('wrong')])
    expect(heard).toEqual([expect.objectContaining({ payload: { error: expect.any(String) } })])
  })

  test('that sends a line sees it in the game once, through both, and gets no copy of it', async () => {
    const { both, server } = await started()
    const line = (message: string) => ({ type: 'chat_send', payload: { author: 'Bot', message } })
    for (const [which, url] of Object.entries(both)) {
      const { heard } = await conversation(url, [auth(key), line(which)], async () => {
        await eventually(() => server.world.heard.some((said) => said.endsWith(which)))
        // An echo of the line would come before this one.
        server.world.say('Abby', 'after it')
      })
      expect(heard).toEqual([
        { type: 'auth_success' },
        expect.objectContaining({ payload: expect.objectContaining({ message: 'after it' }) }),
      ])
    }
    expect(server.world.heard).toEqual(['(Web) Bot: game', '(Web) Bot: farmgate'])
  })

  test('without a key set gets no auth_success from the game, and one from farmgate', async () => {
    const { both } = await started({})
    expect((await conversation(both.game, [auth('any')])).heard).toEqual([])
    expect((await conversation(both.farmgate, [auth('any')])).heard).toEqual([{ type: 'auth_success' }])
  })

  test('that sends an unknown type is ignored by the game and gets an error from farmgate', async () => {
    const { both } = await started()
    const frames = [auth(key), { type: 'dance' }]
    expect((await conversation(both.game, frames)).heard).toEqual([{ type: 'auth_success' }])
    expect((await conversation(both.farmgate, frames)).heard).toEqual([
      { type: 'auth_success' },
      { type: 'error', payload: { code: 'unknown_type', error: expect.any(String) } },
    ])
  })
})

describe('a program learns of a game server', () => {
  test('that refuses GAME_API_KEY only with the key of farmgate; /health is degraded', async () => {
    const { both, server } = await started()
    server.state.key = 'rotated'
    await eventually(async () =>
      expect(await (await fetch(`${both.farmgate}/players`, { headers })).json()).toEqual({
        success: false,
        error: 'The game server refuses the key that farmgate shows it (GAME_API_KEY)',
        code: 'game_unavailable',
        retry: true,
        cause: expect.objectContaining({ code: 'key_refused' }),
      }),
    )
    const health = await (await fetch(`${both.farmgate}/health`)).json()
    expect(health).toMatchObject({ status: 'degraded', gameAvailable: false })
    const ready = await fetch(`${both.farmgate}/ready`)
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { error: 'The game server is not available' },
    ])
  })

  test('that cannot say who is connected: a new world is 409', async () => {
    const { both, server } = await started()
    server.faults.set({ kind: 'garbage' }, 'GET /players')
    await eventually(async () => {
      const refused = await fetch(`${both.farmgate}/newgame`, { method: 'POST', headers })
      expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'players_connected' }])
    })
    expect(server.world.newGames).toEqual([])
  })
})

const sameAnswers: readonly Case[] = [
  { ask: 'GET /status' },
  { ask: 'GET /status', world: online },
  {
    ask: 'GET /status',
    world: (world) => {
      world.isFestival = true
    },
  },
  { ask: 'GET /status', authorization: `bearer   ${key}  ` },
  { ask: 'GET /players' },
  { ask: 'GET /players', world: online },
  { ask: 'GET /invite-code' },
  {
    ask: 'GET /invite-code',
    world: (world) => {
      world.inviteBase = undefined
    },
  },
  { ask: 'GET /farmhands' },
  { ask: 'GET /health' },
  { ask: 'GET /health', authorization: '' },
  { ask: 'GET /stats' },
  { ask: 'GET /settings' },
  { ask: 'GET /cabins' },
  { ask: 'GET /rendering' },
  { ask: 'GET /screenshot' },
  { ask: 'GET /auth' },
  { ask: 'GET /auth', world: guarded },
  { ask: 'GET /diagnostics/state' },
  { ask: 'GET /diagnostics/state?masterFlag=ccPantry&masterFriendKey=Krobus' },
  { ask: 'POST /rendering?fps=15' },
  { ask: 'POST /rendering?FPS=0' },
  { ask: 'POST /time?value=1200' },
  { ask: 'POST /time?value=600' },
  { ask: 'POST /clock-speed?multiplier=10' },
  { ask: 'POST /clock-speed?multiplier=0.5' },
  { ask: 'POST /roles/admin?name=Abby' },
  { ask: 'POST /roles/admin?name=aBBY' },
  { ask: `POST /roles/admin?playerId=${abby}` },
  { ask: `POST /roles/admin?playerId=${zoe}` },
  { ask: 'DELETE /farmhands?name=Zo%C3%AB' },
  { ask: `DELETE /farmhands?playerId=${abby}` },
  { ask: 'POST /auth/timeout?value=60', world: guarded },
  { ask: 'POST /newgame' },
  { ask: 'POST /newgame', body: '{}', headers: { 'content-type': 'application/json' } },
  {
    ask: 'POST /newgame',
    body: '{"farmName":"Clover","farmType":2,"confirmText":"yes"}',
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
  },
  { ask: 'POST /reload' },
  { ask: 'GET /wait/status?since=0&dayTransitionComplete=true&timeout=8000' },
  { ask: `GET /wait/players?playerId=${abby}`, world: online },
  { ask: 'GET /wait/players?playerId=5&timeout=50' },
  { ask: 'GET /wait/farmhands?farmhandCount=3&hasFarmhand=abby&requireCustomized=true' },
  { ask: 'GET /wait/health?ready=true' },
]
const name = ({ ask: asked, body = '', authorization, isUnsized }: Case) =>
  `${asked}${body && ` with ${body}`}${authorization === undefined ? '' : ` with '${authorization}' as its key`}${isUnsized ? ' without a length' : ''}`

describe('a program that requests', () => {
  const both = asksBoth()
  for (const one of sameAnswers)
    test(`${name(one)} gets the same answer from farmgate as from the game, with the text of each id and the state of the records added`, async () => {
      const { game, farmgate } = await both(one)
      // On a busy machine the answers of the game can be late, which farmgate's health says.
      const body =
        typeof farmgate.body === 'object' ? { ...farmgate.body, isStale: undefined } : farmgate.body
      expect(Array.isArray(farmgate.body) ? farmgate : { ...farmgate, body }).toEqual(withAddedMembers(game))
    })

  for (const one of otherAnswers)
    test(`${name(one)} gets another answer (${one.why})`, async () => {
      const { game, farmgate } = await both(one)
      expect(game).toMatchObject(one.game)
      expect(farmgate).toMatchObject(one.farmgate)
    })
})
