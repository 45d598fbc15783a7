import { expect, test } from 'vitest'
import { defaultSettings, settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
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

test('a reload reads the settings file, except the settings that only a new game uses', async () => {
  let file = '{"Game":{"FarmName":"Clover"},"Server":{"MaxPlayers":4}}'
  const { farm, controls } = aFarm({
    settings: settingsFromFile(file),
    readSettings: () => settingsFromFile(file),
    story: 'steered',
  })
  file = '{"Game":{"FarmName":"Thistle"},"Server":{"MaxPlayers":6,"SeparateWallets":true}}'
  for (const { id } of (await farm.players()).players) controls.leave(id)
  await farm.reload()
  expect(await farm.settings()).toMatchObject({
    game: { farmName: 'Clover' },
    server: { maxPlayers: 6, separateWallets: false },
  })
  await farm.newGame({})
  expect(await farm.settings()).toMatchObject({
    game: { farmName: 'Thistle' },
    server: { separateWallets: true },
  })
})
