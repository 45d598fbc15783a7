import { expect, test } from 'vitest'
import { defaultSettings, settingsFromFile } from '../../../../runtime/bridges/simulated/settings.ts'
import { aFarm } from './a-farm.ts'

test('missing keys have the game’s defaults', () => {
  expect(defaultSettings).toEqual({
    shown: {
      game: {
        farmName: 'Junimo',
        farmType: 0,
        profitMargin: 1,
        startingCabins: 1,
        spawnMonstersAtNight: 'auto',
      },
      server: {
        maxPlayers: 10,
        cabinStrategy: 'CabinStack',
        separateWallets: false,
        existingCabinBehavior: 'KeepExisting',
      },
    },
    allowIpConnections: false,
    enforceFarmhandOwnership: true,
    adminIds: [],
  })
})

test('keys match in any case, unknown ones are ignored', () => {
  const text =
    '\uFEFF{"GAME":{"farmNAME":"Клевер","FarmType":"Riverland","Nonsense":1},"server":{"MAXPLAYERS":4,"CabinStrategy":"none"},"X":[]}'
  const { shown } = settingsFromFile(text)
  expect(shown.game).toMatchObject({ farmName: 'Клевер', farmType: 'Riverland' })
  expect(shown.server).toMatchObject({ maxPlayers: 4, cabinStrategy: 'None' })
})

test('a broken file is an error that names everything wrong with it', () => {
  expect(() => settingsFromFile('{"Game":')).toThrow(/server-settings\.json is not JSON/)
  expect(() => settingsFromFile('[1]')).toThrow(/server-settings\.json/)
  expect(() =>
    settingsFromFile('{"Server":{"MaxPlayers":"many","CabinStrategy":"Tents"},"Game":{"FarmName":7}}'),
  ).toThrow(
    'server-settings.json: game.farmname must be a text; server.maxplayers must be a number; server.cabinstrategy must be one of CabinStack, FarmhouseStack, None',
  )
})

test('the farm has the values of its settings', async () => {
  const settings = settingsFromFile('{"Game":{"FarmName":"Clover","FarmType":3},"Server":{"MaxPlayers":4}}')
  const { farm } = aFarm({ settings })
  expect(await farm.settings()).toBe(settings.shown)
  expect(await farm.status()).toMatchObject({
    farmName: 'Clover',
    farmTypeKey: 'Hilltop',
    maxPlayers: 4,
    serverVersion: 'simulated-1.2.3',
    gameVersion: '1.6.15',
  })
})
