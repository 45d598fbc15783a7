import { endpoint } from '../endpoint.ts'
import { historyPlayers as record } from '../history-records.ts'

export const historyPlayers = endpoint('GET /history/players', {
  at: 'farm',
  scope: 'read',
  tag: 'History',
  operationId: 'getHistoryPlayers',
  summary: 'Everyone who played: first and last seen, minutes and sessions; at most 1,000, last seen first',
  result: record,
  example: {
    players: [
      {
        playerId: 6208260877024290921n,
        name: 'Abby',
        firstSeen: '2026-09-03T18:00:10.000Z',
        lastSeen: '2026-11-21T21:40:03.000Z',
        minutesPlayed: 5204,
        sessions: 61,
      },
    ],
  },
  handle: (_request, { records }) => records.playersSeen(),
})
