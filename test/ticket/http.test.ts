/** The routes of the ticket service, over HTTP. */
import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { PlatformError, type PlatformErrorKind } from '../../ticket/errors.ts'
import { fakePlatform, steamId } from './fake-platform.ts'
import { httpSetting } from './http-setting.ts'

test('GET /health answers whether there is a session, without a user name or an id', async () => {
  const platform = fakePlatform()
  const { call } = httpSetting(platform)
  const response = await call('/health')
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(body).toEqual({
    status: 'ok',
    logged_in: true,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    accounts: [{ index: 0, logged_in: true, token_days_remaining: 150 }],
    token_days_remaining: 150,
  })
  platform.set({ phase: 'login_needed', steamId: undefined, tokenDaysLeft: undefined })
  expect(await (await call('/health?account=7')).json()).toMatchObject({
    logged_in: false,
    token_days_remaining: null,
  })
})

test('GET /platform/app-ticket answers app_ticket and platform_id and nothing else', async () => {
  const { call } = httpSetting(fakePlatform())
  const response = await call('/platform/app-ticket')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({
    app_ticket: Buffer.from('ticket 1 ++//').toString('base64'),
    platform_id: steamId,
  })
})

test('GET /steam/app-ticket answers the same plus steam_id, source, sha8 and ticket_length_bytes', async () => {
  const { call } = httpSetting(fakePlatform())
  const ticket = Buffer.from('ticket 1 ++//')
  const expected = {
    app_ticket: ticket.toString('base64'),
    platform_id: steamId,
    steam_id: steamId,
    source: 'fresh',
    sha8: createHash('sha256').update(ticket).digest('hex').slice(0, 8),
    ticket_length_bytes: ticket.length,
  }
  expect(await (await call('/steam/app-ticket?account=0')).json()).toEqual(expected)
  expect(await (await call('/steam/app-ticket')).json()).toEqual({ ...expected, source: 'cached' })
})

test("GET /steam/ready answers within its callers' five seconds, also when Steam does not", async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const platform = fakePlatform()
    platform.ticket = () => new Promise(() => undefined)
    const { call } = httpSetting(platform)
    const answer = call('/steam/ready')
    await vi.advanceTimersByTimeAsync(4999)
    const response = await answer
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ ready: false, code: 'platform_timeout' })
  } finally {
    vi.useRealTimers()
  }
})

test('GET /steam/refresh-token is 410, with a body that causes no retry', async () => {
  const { call } = httpSetting(fakePlatform())
  const response = await call('/steam/refresh-token?account=0')
  expect(response.status).toBe(410)
  const body = await response.text()
  expect(JSON.parse(body)).toMatchObject({ code: 'gone' })
  expect(body).not.toMatch(/connection|timeout|50[0234]/i)
})

test('GET /game/validate-status is compact JSON that a start script can read with sed', async () => {
  const platform = fakePlatform()
  const { call } = httpSetting(platform)
  expect(await (await call('/game/validate-status')).text()).toBe(
    '{"status":"disabled","detail":null,"started_at":null,"finished_at":null}',
  )
  platform.download = { phase: 'running', detail: undefined, startedAt: 0, finishedAt: undefined }
  expect(await (await call('/game/validate-status')).text()).toBe(
    '{"status":"running","detail":null,"started_at":"1970-01-01T00:00:00.000Z","finished_at":null}',
  )
})

test('POST /steam/renew-token renews the token, needs no body, and answers as the existing sidecar without the token', async () => {
  const platform = fakePlatform()
  const { call } = httpSetting(platform)
  const renewed = await call('/steam/renew-token?account=0', { method: 'POST' })
  expect(renewed.status).toBe(200)
  expect(await renewed.json()).toEqual({
    renewed: true,
    outcome: 'renewed',
    error: null,
    previous_expires_at: '2026-12-01T00:00:00.000Z',
    expires_at: '2027-06-01T00:00:00.000Z',
  })
  platform.renewal = () => Promise.reject(new PlatformError('token_from_environment'))
  const refused = await call('/platform/renew-token', { method: 'POST' })
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'token_from_environment' }])
  platform.renewal = () => Promise.reject(new PlatformError('not_logged_in'))
  expect((await call('/steam/renew-token', { method: 'POST' })).status).toBe(503)
  expect((await call('/steam/renew-token')).status).toBe(405)
})

test('POST /game/validate answers with the outcome of the repair, and accepts no other folder than GAME_DIR', async () => {
  const platform = fakePlatform()
  const { call } = httpSetting(platform)
  const repaired = await call('/game/validate?target_dir=/data/game', { method: 'POST' })
  expect(await repaired.json()).toEqual({
    status: 'completed',
    detail: '1 repaired, 0 downloaded, 2 unchanged',
    target_dir: '/data/game',
    files_repaired: 1,
    files_downloaded: 0,
    files_unchanged: 2,
    started_at: '1970-01-01T00:00:00.000Z',
    finished_at: '1970-01-01T00:00:01.000Z',
  })
  const other = await call('/game/validate?target_dir=/data/platform-session', { method: 'POST' })
  expect([other.status, await other.json()]).toMatchObject([400, { code: 'invalid_target_dir' }])
})

test('GET /metrics is Prometheus text', async () => {
  const { call } = httpSetting(fakePlatform())
  await call('/steam/app-ticket')
  const response = await call('/metrics')
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  const text = await response.text()
  expect(text).toContain('ticket_logged_in 1')
  expect(text).toContain('ticket_token_days_remaining 150')
  expect(text).toContain('ticket_platform_requests_total 1')
  expect(text).toContain('ticket_http_requests_total{path="/steam/app-ticket",status="200"} 1')
})

test.each([
  ['not_logged_in', undefined, 503, 'not_logged_in'],
  ['rate_limited', 'RateLimitExceeded', 429, 'platform_rate_limited'],
  ['refused', 'AccessDenied', 502, 'platform_error'],
  ['timeout', undefined, 504, 'platform_timeout'],
] as const)('a platform error %s %s is %i %s', async (kind: PlatformErrorKind, result, status, code) => {
  const platform = fakePlatform()
  platform.ticket = () => Promise.reject(new PlatformError(kind, result))
  const response = await httpSetting(platform).call('/steam/app-ticket')
  expect(response.status).toBe(status)
  const body = await response.json()
  expect(body).toMatchObject({ error: expect.any(String), code })
  if (result === 'AccessDenied') expect(body.result).toBe('AccessDenied')
  if (status === 503 || status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('503 not_logged_in names the command to run', async () => {
  const platform = fakePlatform()
  platform.set({ phase: 'login_needed', steamId: undefined })
  const { error } = await (await httpSetting(platform).call('/platform/app-ticket')).json()
  expect(error).toContain('docker compose run --rm ticket login')
})

test('an unexpected error is 500 without its cause, which is in the log', async () => {
  const platform = fakePlatform()
  platform.ticket = () => Promise.reject(new Error('inner cause'))
  const { call, lines } = httpSetting(platform)
  const response = await call('/steam/app-ticket')
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('inner cause')
  expect(lines.join()).toContain('inner cause')
  // Neither has a stack.
  expect(lines.join()).not.toContain('.ts:')
})

test('an unknown account is 404 and never answered with the configured account', async () => {
  const { call } = httpSetting(fakePlatform())
  const unknown = await call('/steam/app-ticket?account=500')
  expect(unknown.status).toBe(404)
  expect(await unknown.text()).not.toContain('500')
  expect((await call('/steam/app-ticket?account=first')).status).toBe(200)
})

test('unknown paths are 404, wrong methods 405 with Allow', async () => {
  const { call, post } = httpSetting(fakePlatform())
  expect((await call('/steam')).status).toBe(404)
  const response = await post('/health', '{}')
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET')
  expect((await call('/steam/lobby/create')).headers.get('allow')).toBe('POST')
})

test('X-Request-Id is echoed if it is valid, and otherwise a new one is made', async () => {
  const { call } = httpSetting(fakePlatform())
  const id = async (given?: string) =>
    (
      await call('/steam/lobby/status', given === undefined ? {} : { headers: { 'x-request-id': given } })
    ).headers.get('x-request-id')
  expect(await id('farm-7')).toBe('farm-7')
  expect(await id()).toMatch(/^[0-9a-f-]{36}$/)
  expect(await id('x'.repeat(200))).toMatch(/^[0-9a-f-]{36}$/)
})

test('an error outside of a route is 500 with the usual message, and a line of the log; nothing else is written', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { call, meter, lines } = httpSetting(fakePlatform())
  const answered = vi.spyOn(meter, 'answered').mockImplementation(() => {
    throw new Error('a bug')
  })
  const response = await call('/health')
  const [reported, stacks] = [await response.json(), written.mock.calls]
  answered.mockRestore()
  written.mockRestore()
  expect([response.status, reported]).toEqual([500, expect.objectContaining({ code: 'internal_error' })])
  expect(lines.at(-1)).toContain('a bug')
  expect(stacks).toEqual([])
})

const lobbyBody = '{"game_server_steam_id":90071992547409931,"protocol_version":"1.6.15","max_members":16}'

test('lobby ids in requests are uint64 JSON numbers and are read exactly', async () => {
  const platform = fakePlatform()
  const { call, post } = httpSetting(platform)
  platform.lobby = async () => 18_446_744_073_709_551_615n
  const created = await post('/steam/lobby/create', lobbyBody)
  expect(await created.json()).toEqual({ lobby_id: '18446744073709551615', app_id: 413150 })
  const set = await post(
    '/steam/lobby/set-data',
    '{"lobby_id":18446744073709551615,"metadata":{"farmName":"Clover"}}',
  )
  expect(await set.json()).toEqual({ success: true })
  expect(platform.calls.at(-1)).toEqual([
    'set',
    18_446_744_073_709_551_615n,
    {
      maxMembers: 16,
      metadata: {
        protocolVersion: '1.6.15',
        __gameserverIP: '0',
        __gameserverPort: '0',
        __gameserverSteamID: '90071992547409931',
        farmName: 'Clover',
      },
    },
  ])
  // One less is another lobby, and a double cannot distinguish them.
  expect(
    (await post('/steam/lobby/set-data', '{"lobby_id":18446744073709551614,"metadata":{}}')).status,
  ).toBe(404)
  expect(
    (await post('/steam/lobby/set-data', '{"lobby_id":"18446744073709551615","metadata":null}')).status,
  ).toBe(200)
  expect(await (await call('/steam/lobby/status')).json()).toEqual({
    lobby_id: '18446744073709551615',
    is_logged_in: true,
  })
})

test('the lobby routes answer under /platform/lobby/ too', async () => {
  const { call, post } = httpSetting(fakePlatform())
  const { lobby_id } = await (await post('/platform/lobby/create', lobbyBody)).json()
  expect((await post('/platform/lobby/set-data', `{"lobby_id":${lobby_id},"metadata":{}}`)).status).toBe(200)
  expect(
    (await post('/platform/lobby/set-privacy', `{"lobby_id":${lobby_id},"privacy":"private"}`)).status,
  ).toBe(200)
  expect(await (await call('/platform/lobby/status')).json()).toEqual({ lobby_id, is_logged_in: true })
})

test('set-privacy answers success and changes nothing', async () => {
  const platform = fakePlatform()
  const { post } = httpSetting(platform)
  const { lobby_id } = await (await post('/steam/lobby/create', lobbyBody)).json()
  const response = await post('/steam/lobby/set-privacy', `{"lobby_id":${lobby_id},"privacy":"friendsonly"}`)
  expect(await response.json()).toEqual({ success: true })
  expect(platform.calls).toHaveLength(1)
})

test('metadata of more than 32 KB in all is 413, also in small pieces', async () => {
  const { post } = httpSetting(fakePlatform())
  const { lobby_id } = await (await post('/steam/lobby/create', lobbyBody)).json()
  const value = 'x'.repeat(8000)
  const set = (key: string) =>
    post('/steam/lobby/set-data', JSON.stringify({ lobby_id, metadata: { [key]: value } }))
  for (const key of ['a', 'b', 'c', 'd']) expect((await set(key)).status).toBe(200)
  const refused = await set('e')
  expect(refused.status).toBe(413)
  expect(await refused.json()).toEqual({
    error: 'The metadata of a lobby may have at most 32768 bytes in all',
    code: 'payload_too_large',
  })
})

test('an unknown lobby is 404 with NoMatch in the body and without the text that makes the game retry', async () => {
  const { post } = httpSetting(fakePlatform())
  for (const route of ['set-data', 'set-privacy']) {
    const response = await post(
      `/steam/lobby/${route}`,
      '{"lobby_id":109775240500502503,"metadata":{},"privacy":"public"}',
    )
    expect(response.status).toBe(404)
    const body = await response.text()
    expect(body).toContain('NoMatch')
    expect(body).not.toMatch(
      /connection|timeout|internalservererror|serviceunavailable|badgateway|gatewaytimeout|50[0234]/i,
    )
  }
})

test.each([
  ['', 400],
  ['{', 400],
  ['null', 400],
  ['[]', 400],
  ['"text"', 400],
  ['{"game_server_steam_id":-1,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":0,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":18446744073709551616,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":1e30,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":"abc","protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":1,"protocol_version":"1","max_members":"4"}', 400],
  ['{"game_server_steam_id":1,"protocol_version":"1","max_members":12.5}', 400],
  ['{"game_server_steam_id":1,"protocol_version":"1","max_members":0}', 400],
  [`{"game_server_steam_id":1,"protocol_version":"${'x'.repeat(70_000)}"}`, 413],
  ['{"game_server_steam_id":1,"protocol_version":"1","unknown":{"is":"ignored"}}', 200],
])('a body %.60s answers %i', async (body, status) => {
  const response = await httpSetting(fakePlatform()).post('/steam/lobby/create', body)
  expect(response.status).toBe(status)
  if (status === 400)
    expect(await response.json()).toMatchObject({ code: 'invalid_body', error: expect.any(String) })
})

test('a body without Content-Length is refused at the limit', async () => {
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(' '.repeat(4096))),
  })
  const init = {
    method: 'POST',
    body: endless,
    duplex: 'half',
    headers: { 'content-type': 'application/json' },
  } as const
  expect((await httpSetting(fakePlatform()).call('/steam/lobby/create', init)).status).toBe(413)
})

test('a body of another type is 415', async () => {
  const { post } = httpSetting(fakePlatform())
  expect(
    (await post('/steam/lobby/create', lobbyBody, { headers: { 'content-type': 'text/plain' } })).status,
  ).toBe(415)
})

const whole = { game_server_steam_id: 1, protocol_version: '1.6.15' }

test.each([
  ['create', 'game_server_steam_id', { ...whole, game_server_steam_id: 500.5 }],
  ['create', 'game_server_steam_id', { protocol_version: '1.6.15' }],
  ['create', 'protocol_version', { ...whole, protocol_version: 503 }],
  ['create', 'protocol_version', { ...whole, protocol_version: 'x'.repeat(504) }],
  ['create', 'max_members', { ...whole, max_members: -500 }],
  ['set-data', 'metadata', { lobby_id: 1, metadata: { timeout: 502 } }],
  ['set-data', 'metadata', { lobby_id: 1, metadata: { connection: 'x'.repeat(8500) } }],
  ['set-data', 'metadata', { lobby_id: 1, metadata: [500] }],
  ['set-privacy', 'lobby_id', { lobby_id: '500 timeout' }],
  ['set-privacy', 'body', 500],
])('the error for a wrong body of %s names %s and causes no retry', async (name, part, body) => {
  const response = await httpSetting(fakePlatform()).post(`/steam/lobby/${name}`, JSON.stringify(body))
  expect(response.status).toBe(400)
  const { error, code } = await response.json()
  expect(code).toBe('invalid_body')
  expect(error).toMatch(new RegExp(`^${part}: (must be|is missing)`))
  expect(error).not.toMatch(/connection|timeout|50[0234]/i)
})

test('the error for a text that is too long says how long it may be', async () => {
  const body = JSON.stringify({ ...whole, protocol_version: 'x'.repeat(257) })
  const response = await httpSetting(fakePlatform()).post('/steam/lobby/create', body)
  expect(await response.json()).toMatchObject({
    error: 'protocol_version: must be a text of at most 256 characters',
  })
})
