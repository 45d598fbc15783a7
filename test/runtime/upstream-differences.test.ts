/**
 * Programs that speak to the existing server get the same answers through farmgate, except for the
 * differences listed here, each with its reason; nothing else differs.
 */
import { request as send } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseJson } from '../../handlers/json.ts'
import { milliseconds } from '../../runtime/bridges/upstream/answers.ts'
import type { World } from '../game-server/world.ts'
import { eventually } from './bridges/contract/expectations.ts'
import { startPair } from './upstream-pair.ts'

const key = 'the key that both of them share'
const abby = 2n ** 53n + 1n
const zoe = -(2n ** 53n) - 1n

interface Case {
  /** For example `POST /time?value=1200`. */
  readonly ask: string
  readonly world?: (world: World) => void
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Without it the default: the right key. */
  readonly authorization?: string
  /** No `Content-Length`, as curl sends it. */
  readonly isUnsized?: true
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Difference extends Case {
  /** Where the contract says otherwise. */
  readonly why: string
  readonly game: Partial<Answer>
  readonly farmgate: Partial<Answer>
}

/** What is another at every look, game or farmgate. */
const volatile = new Set(['timestamp', 'tickCount', 'lastTickMs', 'uptimeSeconds', 'capturedAt'])

/** The answer as a program reads it: volatile members as their types, times in milliseconds. */
function seen(value: unknown, member = ''): unknown {
  if (volatile.has(member)) return typeof value
  if (typeof value === 'string') return milliseconds(value) ?? value
  if (Array.isArray(value)) return value.map((one) => seen(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, seen(one, name)]))
}

function ask(url: string, { ask: asked, body, isUnsized, headers, authorization = `Bearer ${key}` }: Case) {
  const [method = '', path = ''] = asked.split(' ')
  return new Promise<Answer>((resolve, reject) => {
    const request = send(url + path, {
      method,
      agent: false,
      headers: { ...(authorization !== '' && { authorization }), ...headers },
    })
    if (isUnsized) request.removeHeader('transfer-encoding')
    else if (method !== 'GET') request.setHeader('content-length', Buffer.byteLength(body ?? ''))
    request.on('error', reject)
    request.on('response', async (response) => {
      // The game sends a body even here, which no parser takes.
      if (method === 'HEAD') return resolve({ status: response.statusCode ?? 0, body: '' })
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const isJson = response.headers['content-type']?.startsWith('application/json') === true
      resolve({
        status: response.statusCode ?? 0,
        body: seen(isJson && text !== '' ? parseJson(text) : text),
      })
    })
    if (isUnsized) request.useChunkedEncodingByDefault = false
    request.end(body)
  })
}

/** Asks both, each with a world of its own in the same state. */
async function both(one: Case): Promise<{ game: Answer; farmgate: Answer }> {
  const answers: Answer[] = []
  for (const which of ['game', 'farmgate'] as const) {
    const pair = await startPair({ key, snapshotEvery: 3_600_000 })
    onTestFinished(() => pair.close())
    const { world } = pair.server
    world.join('Abby', abby)
    world.leave(abby)
    world.addFarmhand('Zoë', zoe)
    one.world?.(world)
    world.publish()
    await eventually(async () => {
      expect(pair.bridge.health().gameAvailable).toBe(true)
      expect((await pair.bridge.status()).version).toBe(world.snapshot.status.version)
      expect((await pair.bridge.players()).version).toBe(world.snapshot.status.version)
    })
    const answer = await ask(which === 'game' ? pair.server.url : pair.gate.url, one)
    // Snapshots are numbered and dated by each world for itself.
    answers.push(JSON.parse(JSON.stringify(answer, undated)))
  }
  const [game, farmgate] = answers
  if (game === undefined || farmgate === undefined) throw new Error('nobody answered')
  return { game, farmgate }
}
const undated = (name: string, value: unknown) =>
  ['lastUpdated', 'startedAtUtc'].includes(name)
    ? typeof value
    : typeof value === 'bigint'
      ? `int64 ${value}`
      : value

const twins = (world: World) => world.addFarmhand('abby', 5n)
const online = (world: World) => world.join('Abby', abby)
const guarded = (world: World) => {
  world.password = { enabled: true, timeoutSeconds: 120, maxAttempts: 3 }
}

const same: readonly Case[] = [
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

const notAllowed = { status: 405, body: expect.objectContaining({ code: 'method_not_allowed' }) }
const oneShape = 'section 2: one error body everywhere'
const realStatus = 'section 2: a refusal has its own status and code'
const refused = (status: number, code: string, words = '') => ({
  status,
  body: expect.objectContaining({ success: false, code, error: expect.stringContaining(words) }),
})
const as200 = (words: string) => ({
  status: 200,
  body: expect.objectContaining({ success: false, error: expect.stringContaining(words) }),
})
const invalid = (asked: string, words: string, why = realStatus): Difference => ({
  ask: asked,
  why,
  game: as200(words),
  farmgate: refused(400, 'invalid_parameter'),
})

const differences: readonly Difference[] = [
  invalid('POST /time', "Missing 'value'"),
  invalid('POST /time?value=noon', "Invalid value 'noon'"),
  invalid('POST /time?value=2601', 'out of range'),
  invalid('POST /rendering', "Missing or invalid 'fps'"),
  invalid('POST /rendering?fps=-1', "Missing or invalid 'fps'"),
  invalid('POST /rendering?fps=1&fps=2', "Missing or invalid 'fps'"),
  invalid('POST /clock-speed', "Missing 'multiplier'"),
  invalid('POST /clock-speed?multiplier=0', 'greater than 0'),
  invalid('POST /roles/admin', "Missing 'name' or 'playerId'"),
  invalid('POST /roles/admin?name=Abby&playerId=1', 'not both'),
  invalid('DELETE /farmhands', "Missing 'name' or 'playerId'"),
  invalid('DELETE /farmhands?name=Abby&playerId=1', 'not both'),
  invalid('DELETE /farmhands?playerId=x', "Invalid 'playerId'"),
  { ...invalid('POST /auth/timeout?value=-1', "Missing or invalid 'value'"), world: guarded },
  ...['POST /clock-speed?multiplier=NaN', 'POST /time?value=1275', 'POST /rendering?fps=241'].map(
    (asked): Difference => ({
      ask: asked,
      why: 'section 3: what no game can do is refused',
      game: { status: 200, body: expect.objectContaining({ success: true }) },
      farmgate: refused(400, 'invalid_parameter'),
    }),
  ),
  ...['GET /wait/status?isReady=1', 'GET /wait/players?since=soon'].map(
    (asked): Difference => ({
      ask: asked,
      why: 'section 2: a malformed parameter is 400, not ignored',
      game: { status: 200 },
      farmgate: refused(400, 'invalid_parameter'),
    }),
  ),
  {
    ask: 'DELETE /farmhands?name=Penny',
    why: realStatus,
    game: as200("Farmhand 'Penny' not found"),
    farmgate: refused(404, 'farmhand_not_found', "Farmhand 'Penny' not found"),
  },
  {
    ask: 'DELETE /farmhands?name=Abby',
    world: online,
    why: realStatus,
    game: as200('currently online'),
    farmgate: refused(409, 'farmhand_online', "Cannot delete farmhand 'Abby' - currently online"),
  },
  {
    ask: `DELETE /farmhands?playerId=${abby}`,
    world: (world) => {
      world.isSaving = true
    },
    why: realStatus,
    game: as200('save is in progress'),
    farmgate: refused(409, 'save_in_progress', 'save is in progress'),
  },
  {
    ask: `DELETE /farmhands?playerId=${abby}`,
    why: 'the sentence names the farmhand as the request did; it is for a person',
    game: { status: 200, body: { success: true, message: "Farmhand 'Abby' deleted successfully" } },
    farmgate: { status: 200, body: { success: true, message: `Farmhand id=${abby} deleted successfully` } },
  },
  {
    ask: 'POST /roles/admin?name=Penny',
    why: realStatus,
    game: as200("Player 'Penny' not found"),
    farmgate: refused(404, 'player_not_found', "Player 'Penny' not found"),
  },
  {
    ask: 'POST /roles/admin?name=ABBY',
    world: twins,
    why: 'section 2: several players share the name',
    game: { status: 200, body: expect.objectContaining({ success: true }) },
    farmgate: refused(409, 'ambiguous_name'),
  },
  {
    ask: 'POST /time?value=1200',
    world: (world) => {
      world.isLoaded = false
    },
    why: realStatus,
    game: as200('Server not ready'),
    farmgate: refused(503, 'server_not_ready', 'erver not ready'),
  },
  {
    ask: 'POST /auth/timeout?value=60',
    why: 'section 2: this game server cannot do it',
    game: as200('Password protection is not enabled'),
    farmgate: refused(501, 'unsupported', 'Password protection is not enabled'),
  },
  ...['POST /newgame', 'POST /reload'].map(
    (asked): Difference => ({
      ask: asked,
      world: online,
      why: oneShape,
      game: { status: 409, body: { success: false, error: expect.stringContaining('1 client(s)') } },
      farmgate: refused(409, 'players_connected', '1 player(s)'),
    }),
  ),
  {
    ask: 'POST /newgame',
    body: '{"farmName":',
    why: 'issue: a malformed body is refused instead of replacing the world',
    game: { status: 200, body: expect.objectContaining({ success: true }) },
    farmgate: refused(400, 'invalid_parameter'),
  },
  {
    ask: 'GET /status',
    authorization: '',
    why: 'section 2: the status is public, without codes',
    game: { status: 401 },
    farmgate: { status: 200, body: expect.not.objectContaining({ steamInviteCode: 'SABC123' }) },
  },
  ...['GET /stats', 'GET /diagnostics/state', 'GET /wait/health'].map(
    (asked): Difference => ({
      ask: asked,
      authorization: '',
      why: 'issue: all of them need the key here',
      game: { status: 200 },
      farmgate: refused(401, 'unauthorized'),
    }),
  ),
  {
    ask: 'GET /players',
    authorization: 'Bearer wrong',
    why: oneShape,
    game: { status: 401, body: { error: expect.stringContaining('Unauthorized') } },
    farmgate: refused(401, 'unauthorized'),
  },
  {
    ask: 'GET /nowhere?x=1',
    why: oneShape,
    game: { status: 404, body: { error: 'Not found', path: '/nowhere' } },
    farmgate: {
      status: 404,
      body: { success: false, error: 'Not found', code: 'not_found', path: '/nowhere' },
    },
  },
  { ask: 'POST /players', why: 'section 2: 405 with Allow', game: { status: 404 }, farmgate: notAllowed },
  { ask: 'PUT /players', why: oneShape, game: { status: 405 }, farmgate: notAllowed },
  {
    ask: 'GET /players/',
    why: 'section 2: one trailing slash is tolerated',
    game: { status: 404 },
    farmgate: { status: 200 },
  },
  {
    ask: 'HEAD /health',
    why: 'section 2: HEAD is GET without body',
    game: { status: 405 },
    farmgate: { status: 200, body: '' },
  },
  {
    ask: 'POST /time?value=1200',
    isUnsized: true,
    why: 'section 2: no Content-Length is fine',
    game: { status: 411, body: '<h1>Length Required</h1>' },
    farmgate: { status: 200, body: { success: true, timeOfDay: 1200, message: 'Time set to 1200' } },
  },
  {
    ask: 'GET /diagnostics/handler-timing',
    why: 'not taken over: undocumented, and of one handler only',
    game: { status: 200 },
    farmgate: refused(404, 'not_found'),
  },
]

const name = ({ ask: asked, body = '', authorization, isUnsized }: Case) =>
  `${asked}${body && ` with ${body}`}${authorization === undefined ? '' : ` with '${authorization}' as its key`}${isUnsized ? ' without a length' : ''}`

describe('a program that asks', () => {
  for (const one of same)
    test(`${name(one)} gets the same answer from farmgate as from the game`, async () => {
      const { game, farmgate } = await both(one)
      expect(farmgate).toEqual(game)
    })

  for (const one of differences)
    test(`${name(one)} gets another answer (${one.why})`, async () => {
      const { game, farmgate } = await both(one)
      expect(game).toMatchObject(one.game)
      expect(farmgate).toMatchObject(one.farmgate)
    })
})
