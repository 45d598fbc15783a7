/** The examples of the reference page are answers of the handlers, and agree with each other. */
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { cabins } from '../../../handlers/endpoints/cabins.ts'
import { diagnosticsState } from '../../../handlers/endpoints/diagnostics-state.ts'
import { farmhands } from '../../../handlers/endpoints/farmhands.ts'
import { health } from '../../../handlers/endpoints/health.ts'
import { newGame } from '../../../handlers/endpoints/new-game.ts'
import { passwordProtection } from '../../../handlers/endpoints/password-protection.ts'
import { players } from '../../../handlers/endpoints/players.ts'
import { rebindFarmhand } from '../../../handlers/endpoints/rebind-farmhand.ts'
import { screenshot } from '../../../handlers/endpoints/screenshot.ts'
import { settings } from '../../../handlers/endpoints/settings.ts'
import { stats } from '../../../handlers/endpoints/stats.ts'
import { status } from '../../../handlers/endpoints/status.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import type { Status } from '../../../handlers/game-records.ts'
import { well } from '../../backups/well-game.ts'
import { ask } from './ask.ts'

const noPlayers = async () => ({ players: [], version: 1 })
const abby = 6208260877024290921n
const listed = async () => ({ farmhands: [{ id: abby, name: 'Abby', isCustomized: true }], version: 1 })
const game: Partial<GameBridge> = {
  status: async () => ({ ...(status.example as Status), isOnline: false, farmName: '' }),
  health: () => well,
  players: noPlayers,
  farmhands: listed,
  inviteCode: async () => 'GABC123',
  rendering: async () => 0,
  deleteFarmhand: async () => {},
  rebindFarmhand: async () => {},
  setRendering: async () => 0,
  setTime: async () => {},
  grantAdmin: async () => 'Abby',
  setClockSpeed: async () => 70,
  setLoginTimeout: async () => 120,
  announce: async () => {},
  newGame: async () => 'New game created with farm type 0',
  reload: async () => 'World reloaded',
}

test.each([
  ['getInviteCode', ''],
  ['getRendering', ''],
  ['deleteFarmhand', 'name=Abby'],
  ['rebindFarmhand', 'playerId=6208260877024290921&identity=76561198000000001'],
  ['setRendering', 'fps=15'],
  ['setTime', 'value=1200'],
  ['grantAdmin', 'name=Abby'],
  ['setClockSpeed', 'multiplier=10'],
  ['setLoginTimeout', 'value=60'],
  ['createNewGame', ''],
  ['reloadWorld', ''],
])('the example of %s is what it answers to ?%s', async (operation, search) => {
  const described = endpoints.find(({ operationId }) => operationId === operation)
  const asked = operation === 'grantAdmin' ? { ...game, players: noPlayers } : game
  expect(await ask(operation, asked, { search })).toEqual(described?.example)
})

describe('the examples of reads', () => {
  test('show a farm with a cabin that has an owner and one that is free', () => {
    const { example } = cabins
    expect(example.cabins.map(({ isAssigned, isHidden }) => [isAssigned, isHidden])).toEqual([
      [true, true],
      [false, true],
    ])
    for (const { tileX, tileY, type, ownerId, ownerName, isAssigned } of example.cabins) {
      expect([tileX < 0, tileY < 0, type]).toEqual([true, true, example.strategy])
      expect(ownerId !== 0n).toBe(isAssigned)
      expect(ownerName !== '').toBe(isAssigned)
    }
    expect(example.strategy).toBe('CabinStack')
    expect(example).toMatchObject({ totalCount: 2, assignedCount: 1, availableCount: 1 })
  })

  test('show the same player in all of them, and a farmhand that no one has claimed', () => {
    expect(players.example.players).toEqual([
      {
        id: abby,
        name: 'Abby',
        isOnline: true,
        connection: { joinPath: 'relay', identity: expect.stringMatching(/^\d{17}$/) },
      },
    ])
    expect(farmhands.example.farmhands).toEqual([
      {
        id: abby,
        name: 'Abby',
        isCustomized: true,
        claimedVia: 'relay',
        account: { platform: 'steam', id: expect.stringMatching(/^\d{17}$/) },
      },
      { id: expect.any(BigInt), name: '', isCustomized: false },
    ])
    expect(diagnosticsState.example).toMatchObject({ otherFarmerUids: [abby], failedFields: [] })
    expect(cabins.example.cabins[0]).toMatchObject({ ownerId: abby, ownerName: 'Abby' })
  })

  test('show a running game', () => {
    expect(status.example).toMatchObject({ isOnline: true, isReady: true, isPaused: false })
    expect(health.example).toMatchObject({ status: 'ok', gameAvailable: true, isFrozen: false })
    expect(screenshot.example.success).toBe(true)
    expect(passwordProtection.example.enabled).toBe(true)
    expect(settings.example.server.separateWallets).toBe(false)
  })

  test('leave no text empty but the name of an unclaimed farmhand and the owner of a free cabin', () => {
    const texts = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(texts)
          : []
    for (const { example } of [settings, stats, status, screenshot, diagnosticsState, players])
      for (const shown of texts(example)) expect(shown).toMatch(/\S/)
  })
})

test('the body of a new game has at most 16 KiB, and its example has the usual members', () => {
  expect(newGame.body).toMatchObject({
    maxBytes: 16_384,
    example: {
      farmName: 'Clover',
      cabinStrategy: 'CabinStack',
      maxPlayers: 10,
      startingCabins: 1,
      farmType: 0,
    },
  })
})

test('an identity is described as a text of up to twenty digits', () => {
  expect(rebindFarmhand.parameters.identity).toMatchObject({
    required: true,
    schema: { type: 'string', pattern: '^[0-9]{1,20}$' },
  })
})
