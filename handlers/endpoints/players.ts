import { endpoint } from '../endpoint.ts'
import { players as record } from '../game-records.ts'

export const players = endpoint({
  method: 'GET',
  path: '/players',
  access: 'key',
  scope: 'read',
  tag: 'Players',
  operationId: 'getPlayers',
  summary: 'Who is connected, without the host',
  parameters: {},
  result: record,
  example: {
    players: [
      {
        id: 6208260877024290921n,
        name: 'Abby',
        isOnline: true,
        connection: { joinPath: 'relay', identity: '76561198000000001' },
      },
    ],
    version: 1234,
  },
  problems: [],
  handle: (_request, { game }) => game.players(),
})
