import { describe, expect, test, vi } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { ask, problem } from './ask.ts'

const noPlayers = async () => ({ players: [], version: 1 })
const onePlayer = async () => ({ players: [{ id: 77n, name: 'Abby', isOnline: true }], version: 1 })

describe('POST /newgame', () => {
  const created = (body: string) => {
    const newGame = vi.fn(async () => 'New game created with farm type 0')
    return ask('createNewGame', { players: noPlayers, newGame }, { body }).then((answer) => ({
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
      '{"FarmName":"Clover","farmType":"modded","maxPlayers":6,"confirmText":"yes","profitMargin":null}'
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
