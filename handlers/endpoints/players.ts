import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { players as record } from '../game-records.ts'

export const players = endpoint('GET /players', {
  scope: 'read',
  tag: 'Players',
  operationId: 'getPlayers',
  summary: docs('Who is connected, without the host'),
  result: record,
  example: docs({
    players: [
      {
        id: 6208260877024290921n,
        name: 'Abby',
        isOnline: true,
        connection: { joinPath: 'relay', identity: '76561198000000001' },
      },
    ],
    version: 1234,
  }),
  handle: (_request, { game }) => game.players(),
})
