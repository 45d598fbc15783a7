import { describe, expect, test, vi } from 'vitest'
import type { EndpointRequest } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { Status } from '../../../handlers/game-records.ts'
import { ask, problem } from './ask.ts'

const example = endpoints.find(({ path }) => path === '/status')?.example as Status
const present = { gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }
const game = {
  health: () => present,
  status: async () => example,
  players: async () => ({
    players: [
      { id: 2n ** 53n + 1n, name: 'Abby', isOnline: true },
      { id: 3n, name: 'Zoë', isOnline: true },
    ],
    version: 1234,
  }),
  farmhands: async () => ({
    farmhands: [
      { id: 1n, name: 'Abby', isCustomized: true },
      { id: 2n, name: 'Zoë', isCustomized: false },
    ],
    version: 1234,
  }),
}
const health = (of: object) => ({
  health: () => ({ ...present, ...of }),
})

describe('the long polls', () => {
  test.each([
    ['waitForStatus', ''],
    [
      'waitForStatus',
      'since=1233&isReady=true&dayTransitionComplete=TRUE&isPaused=false&day=5&playerCount=2',
    ],
    ['waitForPlayers', 'playerId=9007199254740993'],
    ['waitForFarmhands', 'farmhandCount=2&hasFarmhand=ZO%C3%8B'],
    ['waitForFarmhands', 'hasFarmhand=abby&requireCustomized=true'],
    ['waitForFarmhands', 'requireCustomized=true'],
  ])('%s?%s answers the record at once when it matches', async (operation, search) => {
    expect(await ask(operation, game, { search })).toHaveProperty('version', 1234)
  })

  test.each([
    ['waitForStatus', 'since=1234'],
    ['waitForStatus', 'isReady=false'],
    ['waitForStatus', 'playerCount=3'],
    ['waitForPlayers', 'playerId=9007199254740992'],
    ['waitForFarmhands', 'farmhandCount=1'],
    ['waitForFarmhands', 'hasFarmhand=zoë&requireCustomized=true'],
    ['waitForFarmhands', 'hasFarmhand=Ab'],
  ])('%s?%s is 408 when its time ends without a match', async (operation, search) => {
    const { code, status } = await problem(operation, game, { search: encodeURI(search) })
    expect({ code, status }).toEqual({ code: 'wait_timeout', status: 408 })
  })

  test.each([
    ['waitForStatus', 'isReady=1'],
    ['waitForStatus', 'day=0'],
    ['waitForStatus', 'day=5.0'],
    ['waitForStatus', 'since=-1'],
    ['waitForStatus', 'timeout=soon'],
    ['waitForStatus', 'timeout=0'],
    ['waitForStatus', 'timeout=2147483648'],
    ['waitForPlayers', 'playerId=9223372036854775808'],
    ['waitForFarmhands', 'farmhandCount='],
    ['waitForHealth', 'ready=yes'],
  ])('%s?%s is refused, not ignored', async (operation, search) => {
    expect((await problem(operation, game, { search })).code).toBe('invalid_parameter')
  })

  test.each([
    ['', 10_000],
    ['timeout=8000', 8000],
    ['timeout=60000', 10_000],
  ])('with %j waits %i ms at most', async (search, milliseconds) => {
    let waited = 0
    const until: EndpointRequest<unknown>['until'] = (most, probe) => {
      waited = most
      return probe()
    }
    await ask('waitForStatus', game, { search, until })
    expect(waited).toBe(milliseconds)
  })

  test('/wait/status is 503 game_unavailable at once while the game is offline, with any filter', async () => {
    const offline = { ...game, health: () => ({ ...present, gameAvailable: false, awaySince: 1 }) }
    const { code, details } = await problem('waitForStatus', offline, { search: 'isReady=false' })
    expect({ code, beside: details.beside }).toEqual({
      code: 'game_unavailable',
      beside: expect.objectContaining({ isReady: false, farmName: example.farmName }),
    })
  })

  test('/wait/health answers at once, and with ready=true once the game ticks and is not frozen', async () => {
    const search = 'ready=true'
    expect(await ask('waitForHealth', health({ tickCount: 0 }))).toHaveProperty('tickCount', 0)
    expect(await ask('waitForHealth', health({}), { search })).toHaveProperty('status', 'ok')
    for (const not of [{ tickCount: 0 }, { isFrozen: true }, { gameAvailable: false }])
      expect((await problem('waitForHealth', health(not), { search })).code).toBe('wait_timeout')
  })

  test('a record is newer than since only with a greater version', async () => {
    for (const operation of ['waitForStatus', 'waitForPlayers', 'waitForFarmhands']) {
      expect(await ask(operation, game, { search: 'since=1233' })).toHaveProperty('version', 1234)
      expect((await problem(operation, game, { search: 'since=1234' })).code).toBe('wait_timeout')
    }
  })

  test.each([
    ['waitForStatus', '', []],
    ['waitForStatus', 'since=1', []],
    ['waitForStatus', 'isReady=true&day=5', [{ isReady: true, day: 5 }]],
    [
      'waitForStatus',
      'dayTransitionComplete=true&isPaused=false&playerCount=2',
      [{ dayTransitionComplete: true, isPaused: false, playerCount: 2 }],
    ],
    ['waitForPlayers', '', []],
    ['waitForPlayers', 'playerId=9007199254740993', [{ 'player 9007199254740993': true }]],
    ['waitForFarmhands', '', []],
    ['waitForFarmhands', 'requireCustomized=true', []],
    ['waitForFarmhands', 'farmhandCount=2', [{ farmhandCount: 2 }]],
    ['waitForFarmhands', 'hasFarmhand=ABBY', [{ 'farmhand abby false': true }]],
    [
      'waitForFarmhands',
      'farmhandCount=2&hasFarmhand=Abby&requireCustomized=true',
      [{ farmhandCount: 2, 'farmhand abby true': true }],
    ],
  ])('%s?%s returns the values that its filters compare: %j', async (operation, search, reported) => {
    const filtered: unknown[] = []
    await ask(operation, game, { search, filtered: (values) => filtered.push(values) })
    expect(filtered).toEqual(reported)
  })

  test('the value of a filter that does not match is returned too', async () => {
    const filtered: unknown[] = []
    const report = { filtered: (values: object) => filtered.push(values) }
    await problem('waitForPlayers', game, { search: 'playerId=5', ...report })
    await problem('waitForFarmhands', game, {
      search: 'hasFarmhand=zo%C3%AB&requireCustomized=true',
      ...report,
    })
    expect(filtered).toEqual([{ 'player 5': false }, { 'farmhand zoë true': false }])
  })

  test.each([
    'isReady=false',
    'dayTransitionComplete=false',
    'isPaused=true',
    'day=6',
    'playerCount=3',
    'isReady=true&day=6',
  ])('/wait/status?%s waits until all filters match', async (search) => {
    expect((await problem('waitForStatus', game, { search })).message).toBe('Nothing matched in time')
  })
})

const noPlayers = async () => ({ players: [], version: 1 })
const onePlayer = async () => ({ players: [{ id: 77n, name: 'Abby', isOnline: true }], version: 1 })

describe('POST /newgame', () => {
  const created = (body: string) => {
    const newGame = vi.fn(async () => 'New game created with farm type 0')
    const titleScreen = { ...example, isOnline: false, farmName: '' }
    const game = { players: noPlayers, status: async () => titleScreen, health: () => present, newGame }
    return ask('createNewGame', game, { body }).then((answer) => ({
      answer,
      options: newGame.mock.calls,
    }))
  }

  test('without a body makes a world from the settings', async () => {
    expect(await created('')).toEqual({
      answer: { success: true, message: 'New game created with farm type 0' },
      options: [[{}]],
    })
  })

  test('passes on known members, with names in any case, and ignores unknown members and nulls', async () => {
    const body =
      '{"FarmName":"Clover","farmType":"modded","maxPlayers":6,"confirmText":"yes","x":1,"profitMargin":null}'
    expect((await created(body)).options).toEqual([
      [{ farmName: 'Clover', farmType: 'modded', maxPlayers: 6 }],
    ])
  })

  test('replaces a lone surrogate in a farm name so that every program can read it', async () => {
    expect((await created('{"farmName":"A\\ud800"}')).options).toEqual([[{ farmName: 'A\ufffd' }]])
  })

  test.each([
    ['{', undefined],
    ['null', undefined],
    ['[]', undefined],
    ['"Clover"', undefined],
    ['{"maxPlayers":-1}', 'maxPlayers'],
    ['{"maxPlayers":"ten"}', 'maxPlayers'],
    ['{"farmName":7}', 'farmName'],
    ['{"profitMargin":1e999}', 'profitMargin'],
    ['{"farmType":{"id":1}}', 'farmType'],
    ['{"farmName":"a","FARMNAME":"b"}', 'farmName'],
    ['['.repeat(8000) + ']'.repeat(8000), undefined],
  ])('refuses %s instead of replacing the world', async (body, parameter) => {
    const { code, details } = await problem('createNewGame', { players: noPlayers }, { body })
    expect({ code, parameter: details.parameter }).toEqual({ code: 'invalid_parameter', parameter })
  })

  test('a blank body has no options', async () => {
    expect((await created(' \n')).options).toEqual([[{}]])
  })

  test.each([
    ['{', 'The body is not valid JSON; no new game was created'],
    ['[]', 'The body must be a JSON object; no new game was created'],
    [
      '{"maxPlayers":-1}',
      "Member 'maxPlayers' must be a whole number from 1 to 100; no new game was created",
    ],
    ['{"farmName":"a","FARMNAME":"b"}', "Member 'farmName' is given more than once"],
    ['{"separateWallets":1}', "Member 'separateWallets' is not valid; no new game was created"],
  ])('explains what is wrong with %s', async (body, sentence) => {
    expect((await problem('createNewGame', { players: noPlayers }, { body })).message).toBe(sentence)
  })

  for (const operation of ['createNewGame', 'reloadWorld']) {
    test(`${operation} is 409 while players are connected`, async () => {
      const { code, message } = await problem(operation, { players: onePlayer })
      expect({ code, message }).toEqual({
        code: 'players_connected',
        message: 'Cannot do this while 1 player(s) are connected; disconnect all players first',
      })
    })

    test(`${operation} is 409 when farmgate cannot know whether players are connected`, async () => {
      const players = async () => {
        throw new FarmError({ kind: 'timeout', write: false })
      }
      expect((await problem(operation, { players })).code).toBe('players_connected')
    })
  }

  test('POST /reload answers with the text of the game', async () => {
    expect(await ask('reloadWorld', { players: noPlayers, reload: async () => 'World reloaded' })).toEqual({
      success: true,
      message: 'World reloaded',
    })
  })
})
