import { Socket } from 'node:net'
import * as v from 'valibot'
import { afterAll, expect, test } from 'vitest'
import { keepSession } from '../../ticket/session/keep-session.ts'
import { serveDelays } from '../../ticket/session/retry-delays.ts'
import { eventually } from '../wait.ts'
import { httpSetting, listening } from './http-setting.ts'
import { junimo, makeSetting } from './setting.ts'

/**
 * The existing game mod's requests (its SteamAuthApiClient), over a real socket, a real session and the stand-in for
 * Steam. Its reader is case-sensitive and strict about types, so strict schemas check the answers.
 */
const key = 'a-key-of-sixteen-and-more'

const setting = await makeSetting()
const config = setting.config({ PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account) })
const platform = keepSession(setting.context(config), undefined, { ...serveDelays, first: 20 })
const server = await listening(httpSetting(platform, key))
// As STEAM_AUTH_URL of an unmodified game server: the key is part of the address.
const base = `http://127.0.0.1:${server.port}/${key}`
await eventually(() => platform.state().phase === 'logged_on')
afterAll(async () => {
  await server.close()
  await platform.close()
  await setting.close()
})

const text = v.string()
const int = v.pipe(v.number(), v.integer())
const decimal = v.pipe(text, v.regex(/^[0-9]{1,20}$/))
const base64 = v.pipe(text, v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/))

const get = (path: string) => fetch(`${base}${path}?account=0`, { headers: { 'X-Request-Id': 'mod-1' } })
const post = (path: string, body: string) =>
  fetch(`${base}${path}?account=0`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': 'mod-1' },
  })

async function read<Schema extends v.GenericSchema>(
  schema: Schema,
  response: Response,
): Promise<v.InferOutput<Schema>> {
  expect(response.status).toBe(200)
  expect(response.headers.get('x-request-id')).toBe('mod-1')
  return v.parse(schema, await response.json())
}

test('GET /steam/app-ticket: the ticket is byte for byte the one Steam made', async () => {
  const schema = v.object({
    app_ticket: base64,
    steam_id: decimal,
    source: text,
    sha8: v.pipe(text, v.length(8)),
    ticket_length_bytes: int,
  })
  const answer = await read(schema, await get('/steam/app-ticket'))
  expect(
    Buffer.from(answer.app_ticket, 'base64').equals(setting.platform.tickets.at(-1) ?? Buffer.alloc(0)),
  ).toBe(true)
  expect(answer.steam_id).toBe(junimo.steamId)
  expect(answer).not.toHaveProperty('expires_at')
})

test('a lobby is created, gets its data key by key, keeps its privacy, and is public on Steam', async () => {
  const created = await read(
    v.object({ lobby_id: decimal, app_id: v.literal(413150) }),
    await post(
      '/steam/lobby/create',
      '{"game_server_steam_id":90281948123456789,"protocol_version":"1.6.15","max_members":16}',
    ),
  )
  await post('/steam/lobby/set-privacy', `{"lobby_id":${created.lobby_id},"privacy":"public"}`)
  await Promise.all(
    ['farmName', 'farmType', 'date'].map((name) =>
      post(
        '/steam/lobby/set-data',
        `{"lobby_id":${created.lobby_id},"metadata":{"${name}":"value of ${name}"}}`,
      ),
    ),
  )
  expect(setting.platform.lobbies.get(created.lobby_id)).toMatchObject({
    type: 2,
    maxMembers: 16,
    appId: 413150,
    routedTo: 413150,
    metadata: {
      protocolVersion: '1.6.15',
      __gameserverIP: '0',
      __gameserverPort: '0',
      __gameserverSteamID: '90281948123456789',
      farmName: 'value of farmName',
      farmType: 'value of farmType',
      date: 'value of date',
    },
  })
  await read(
    v.object({ lobby_id: v.literal(created.lobby_id), is_logged_in: v.literal(true) }),
    await get('/steam/lobby/status'),
  )
})

test('a lobby that was lost with the session is NoMatch, and the next create answers the re-created one', async () => {
  const old = (await (await get('/steam/lobby/status')).json()).lobby_id
  setting.platform.dropSockets()
  await eventually(() => platform.state().session === 2)
  await eventually(() => setting.platform.lobbies.size === 1)
  const lost = await post('/steam/lobby/set-data', `{"lobby_id":${old},"metadata":{"farmName":"Moss"}}`)
  expect(lost.status).toBe(404)
  expect(await lost.text()).toContain('NoMatch')
  const [remade] = setting.platform.lobbies.values()
  const created = await (
    await post(
      '/steam/lobby/create',
      '{"game_server_steam_id":90281948123456790,"protocol_version":"1.6.15","max_members":16}',
    )
  ).json()
  expect(created.lobby_id).toBe(remade?.id)
  expect(created.lobby_id).not.toBe(old)
  expect(setting.platform.lobbies.get(created.lobby_id)?.metadata).toMatchObject({
    farmName: 'value of farmName',
    __gameserverSteamID: '90281948123456790',
  })
})

test('an HTTP/1.0 request without Host, as a shell script sends it, gets exactly one JSON document', async () => {
  const answer = await new Promise<string>((resolve) => {
    let received = ''
    const socket = new Socket().connect(server.port, '127.0.0.1')
    socket.on('data', (data) => {
      received += data
    })
    socket.on('close', () => resolve(received))
    socket.write('GET /health HTTP/1.0\r\n\r\n')
  })
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.[01] 200 /)
  expect(JSON.parse(body)).toMatchObject({ status: 'ok', logged_in: true, accounts: [{ index: 0 }] })
})
