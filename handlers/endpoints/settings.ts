import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { settings as record } from '../game-records.ts'

export const settings = endpoint('GET /settings', {
  scope: 'read',
  tag: 'Settings',
  operationId: 'getSettings',
  summary: docs('Server configuration, read from server-settings.json'),
  result: record,
  example: {
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
  handle: (_request, { game }) => game.settings(),
})
