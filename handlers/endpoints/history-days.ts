import { endpoint } from '../endpoint.ts'
import { historyDays as record } from '../history-records.ts'
import { before, pageLimit, pageOf } from '../parameter.ts'

export const historyDays = endpoint('GET /history/days', {
  at: 'farm',
  scope: 'read',
  tag: 'History',
  operationId: 'getHistoryDays',
  summary: "The game's days: when each began and ended, and who played; newest first",
  parameters: { before, limit: pageLimit('Days') },
  result: record,
  example: {
    days: [
      {
        day: 12,
        season: 'fall',
        year: 2,
        beganAt: '2026-11-21T19:10:00.000Z',
        endedAt: '2026-11-21T19:25:40.000Z',
        players: [{ playerId: 6208260877024290921n, name: 'Abby' }],
      },
    ],
    next: '1795288200000',
  },
  handle: ({ query }, { records }) => records.days(pageOf(query)),
})
