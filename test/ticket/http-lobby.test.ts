/** The routes of the lobby, over HTTP. */
import { expect, test } from 'vitest'
import { fakePlatform } from './fake-platform.ts'
import { httpSetting } from './http-setting.ts'

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
