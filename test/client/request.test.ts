/** Calls to a server with a script: changes, what is sent, and answers that are not farmgate's. */
import { describe, expect, test } from 'vitest'
import { connect, FarmgateError } from '../../client/index.ts'
import { answer, cut, failureOf, key, never, offline, scripted } from './scripted-server.ts'

const players = { players: [], version: 1 }

describe('a change', () => {
  test.each([
    ['refused for now', answer(503, offline)],
    ['cut off', cut],
  ])('that is %s is not sent again', async (_, first) => {
    const { farm, requests } = await scripted(first, answer(200, { success: true }))
    expect(await failureOf(farm.setTime({ value: 1200 }))).toBeInstanceOf(FarmgateError)
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /time?value=1200'])
  })

  test('without an answer is unreachable, and says that its outcome is unknown', async () => {
    const { farm } = await scripted(cut)
    const failure = await failureOf(farm.setTime({ value: 1200 }))
    expect(failure).toMatchObject({ code: 'unreachable', retry: false, message: /unknown/ })
  })

  test('that takes too long ends by timeout, and says that its outcome is unknown', async () => {
    const { farm } = await scripted(never)
    const failure = await failureOf(farm.setTime({ value: 1200 }, { timeout: 50 }))
    expect(failure).toMatchObject({ code: 'timeout', retry: false, message: /50 ms.*unknown/ })
  })
})

test.each([
  ['a page of a proxy', 500, '<html>Bad gateway</html>'],
  ['an error of another API', 500, { message: 'oops' }],
  ['no JSON', 200, 'ok'],
  ['JSON that is not an object', 200, '7'],
])('%s is a bad_answer', async (_, status, body) => {
  const { farm, requests } = await scripted(answer(status, body))
  expect(await failureOf(farm.players())).toMatchObject({ code: 'bad_answer', status })
  expect(requests).toHaveLength(1)
})

test('the metrics are answered as text, and their refusal is a FarmgateError', async () => {
  const refused = { success: false, error: 'The key is wrong', code: 'unauthorized' }
  const { farm, requests } = await scripted(answer(200, 'farmgate_players 2\n'), answer(401, refused))
  expect(await farm.metrics()).toBe('farmgate_players 2\n')
  expect(await failureOf(farm.metrics())).toMatchObject({ code: 'unauthorized', status: 401 })
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/metrics', key: `Bearer ${key}` })
})

test('a farm without a server is unreachable; the error has its host and not its key', async () => {
  const farm = connect({ url: 'http://127.0.0.1:1', key })
  const failure = await failureOf(farm.players())
  expect(failure).toMatchObject({ code: 'unreachable', retry: true, message: 'No answer from 127.0.0.1:1' })
  expect(JSON.stringify(failure)).not.toContain(key)
})

test('the key is sent as a bearer token, parameters in the query, and the options of a new game as a body', async () => {
  const { farm, requests } = await scripted(answer(200, { success: true, message: 'done' }))
  await farm.deleteFarmhand({ name: 'Zoë & co', playerId: undefined })
  await farm.rebindFarmhand({ playerId: -(2n ** 63n), identity: '76561198000000001' })
  await farm.createNewGame({ farmName: 'Clover', maxPlayers: 8 })
  expect(requests).toEqual([
    { method: 'DELETE', url: '/farmhands?name=Zo%C3%AB+%26+co', body: '', key: `Bearer ${key}` },
    {
      method: 'POST',
      url: '/farmhands/rebind?playerId=-9223372036854775808&identity=76561198000000001',
      body: '',
      key: `Bearer ${key}`,
    },
    { method: 'POST', url: '/newgame', body: '{"farmName":"Clover","maxPlayers":8}', key: `Bearer ${key}` },
  ])
})

test('a path in the url stays in front of every call; a query and a fragment are left out', async () => {
  const { url, requests } = await scripted(answer(200, players))
  await connect({ url: `${url}/farms/clover/?a=1#b` }).players()
  expect(requests[0]).toMatchObject({ url: '/farms/clover/players', key: '' })
})

test.each(['ftp://farm', 'farm.example', '', undefined])('%o is not the URL of a farm', (url) => {
  expect(() => Reflect.apply(connect, undefined, [{ url }])).toThrow('needs the url of a farm')
})

test('an impossible address throws as new URL does', () => {
  expect(() => connect({ url: 'http://a b' })).toThrow(TypeError)
})

test('an id whose number was rounded has the digits of its text', async () => {
  const { farm } = await scripted(
    answer(
      200,
      '{"players":[{"id":9007199254740993,"idText":"9007199254740993","name":"idText"}],"version":3}',
    ),
  )
  expect(await farm.players()).toEqual({ players: [{ id: 9007199254740993n, name: 'idText' }], version: 3 })
})

test('texts of ids that are not digits stay as they are', async () => {
  const body = { idText: 'no digits', id: 1, noteText: '5', otherFarmerUids: [1], otherFarmerUidTexts: ['x'] }
  const { farm } = await scripted(answer(200, body))
  expect(await farm.diagnosticsState()).toEqual(body)
})
