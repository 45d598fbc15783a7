import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { farmhandsFor } from '../farmhand-accounts.ts'
import { farmhands as record } from '../game-records.ts'

export const farmhands = endpoint('GET /farmhands', {
  scope: 'read',
  tag: 'Farmhands',
  operationId: 'getFarmhands',
  summary: docs('Every farmhand slot: connected, offline and unclaimed'),
  result: record,
  example: docs({
    farmhands: [
      {
        id: 6208260877024290921n,
        name: 'Abby',
        isCustomized: true,
        claimedVia: 'relay',
        account: { platform: 'steam', id: '76561198000000001' },
      },
      { id: -3311223344556677889n, name: '', isCustomized: false },
    ],
    version: 1234,
  }),
  handle: async ({ holder }, { game }) => farmhandsFor(holder, await game.farmhands()),
})
