import { endpoint } from '../endpoint.ts'
import { historyOutages as record } from '../history-records.ts'
import { isoTime, timeOf } from '../iso-time.ts'
import { shareWithout } from '../outages.ts'
import { optional, time } from '../parameter.ts'

/** Milliseconds. */
const month = 30 * 86_400_000

export const historyOutages = endpoint('GET /history/outages', {
  at: 'farm',
  scope: 'read',
  tag: 'History',
  operationId: 'getHistoryOutages',
  summary: 'The outages of the game and of farmgate, newest first, and the share of the time without one',
  parameters: {
    from: optional(time({ description: 'Where the counted time begins; 30 days ago unless given' })),
  },
  result: record,
  example: {
    outages: [
      {
        of: 'game',
        from: '2026-11-21T12:00:00.000Z',
        to: '2026-11-21T12:04:10.000Z',
        cause: 'process_crashed',
      },
    ],
    share: 0.9999,
  },
  async handle({ query, now }, { records }) {
    const to = timeOf(now) ?? 0
    const wanted = (query.from === undefined ? undefined : timeOf(query.from)) ?? to - month
    const { outages, since } = await records.outages(wanted)
    return {
      outages: outages.map(({ of, from, to: end, cause }) => ({
        of,
        from: isoTime(from),
        ...(end !== undefined && { to: isoTime(end) }),
        ...(cause !== undefined && { cause }),
      })),
      share: shareWithout(outages, Math.max(wanted, since ?? to), to),
    }
  },
})
