import { endpoint } from '../endpoint.ts'
import { historySessions as record } from '../history-records.ts'
import { timeOf } from '../iso-time.ts'
import { before, optional, pageLimit, pageOf, playerId, time } from '../parameter.ts'

export const historySessions = endpoint('GET /history/sessions', {
  at: 'farm',
  scope: 'read',
  tag: 'History',
  operationId: 'getHistorySessions',
  summary: 'Who played when; newest first',
  parameters: {
    from: optional(time({ description: 'Only sessions that ended at this time or later' })),
    to: optional(time({ description: 'Only sessions that began at this time or earlier' })),
    playerId: optional(playerId),
    before,
    limit: pageLimit('Sessions'),
  },
  result: record,
  example: {
    sessions: [
      {
        playerId: 6208260877024290921n,
        name: 'Abby',
        joinedAt: '2026-11-21T19:02:11.000Z',
        leftAt: '2026-11-21T21:40:03.000Z',
        joinPath: 'relay',
        ended: 'left',
      },
    ],
    next: '1795287731000000',
  },
  handle: ({ query: { from, to, ...query } }, { records }) =>
    records.sessions({ ...pageOf(query), ...bound('from', from), ...bound('to', to) }),
})

const bound = (name: 'from' | 'to', text: string | undefined) => {
  const at = text === undefined ? undefined : timeOf(text)
  return at === undefined ? {} : { [name]: at }
}
