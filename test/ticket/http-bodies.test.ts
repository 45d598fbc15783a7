import { expect, test } from 'vitest'
import { fakePlatform } from './fake-platform.ts'
import { httpSetting } from './http-setting.ts'

const lobbyBody = '{"game_server_steam_id":90071992547409931,"protocol_version":"1.6.15","max_members":16}'

test.each([
  ['', 400],
  ['{', 400],
  ['null', 400],
  ['[]', 400],
  ['"text"', 400],
  ['{"game_server_steam_id":-1,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":0,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":18446744073709551616,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":1.5,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":1e30,"protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":"abc","protocol_version":"1","max_members":4}', 400],
  ['{"game_server_steam_id":1,"protocol_version":7,"max_members":4}', 400],
  ['{"game_server_steam_id":1,"protocol_version":"1","max_members":"4"}', 400],
  ['{"game_server_steam_id":1,"protocol_version":"1","max_members":12.5}', 400],
  ['{"game_server_steam_id":1,"protocol_version":"1","max_members":0}', 400],
  ['{"protocol_version":"1","max_members":4}', 400],
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
