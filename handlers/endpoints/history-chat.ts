import { endpoint } from '../endpoint.ts'
import { historyChat as record } from '../history-records.ts'
import { before, pageLimit, pageOf } from '../parameter.ts'

export const historyChat = endpoint('GET /history/chat', {
  at: 'farm',
  scope: 'read',
  tag: 'History',
  operationId: 'getHistoryChat',
  summary: "The game's chat with the number of each line; newest first",
  parameters: { before, limit: pageLimit('Lines') },
  result: record,
  example: {
    lines: [
      {
        seq: 1795262400000042,
        playerName: 'Abby',
        message: 'good morning',
        timestamp: '2026-11-21T19:10:04.000Z',
      },
    ],
    next: '1795262400000042',
  },
  handle: ({ query }, { records }) => records.chat(pageOf(query)),
})
