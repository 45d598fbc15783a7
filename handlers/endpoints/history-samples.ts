import { endpoint } from '../endpoint.ts'
import { historySamples as record } from '../history-records.ts'
import { timeOf } from '../iso-time.ts'
import { integer, optional, time } from '../parameter.ts'
import { Problem } from '../problem.ts'

/** Maximum of points in one answer. */
const maxPoints = 1000
/**
 * Seconds of a step, rounded up to whole minutes; to whole ten minutes from 600 on, and to whole hours from 3600 on.
 */
const units = [3600, 600, 60] as const
const day = 86_400

export const historySamples = endpoint('GET /history/samples', {
  at: 'farm',
  scope: 'read',
  tag: 'History',
  operationId: 'getHistorySamples',
  summary: 'How the game ran: mean and maximum of each step that has a sample',
  parameters: {
    from: optional(time({ description: 'When the first step begins; a day before `to` unless given' })),
    to: optional(time({ description: 'Where the steps end; now unless given' })),
    step: optional(
      integer(60, 31 * day, {
        description:
          'Seconds of a step, rounded up to whole minutes, from 600 on to ten minutes, from 3600 on to hours; the smallest that makes at most 1,000 steps unless given',
        example: '600',
      }),
    ),
  },
  result: record,
  example: {
    step: 600,
    samples: [
      {
        at: '2026-11-21T19:10:00.000Z',
        players: { mean: 2.4, max: 3 },
        ticksPerSecond: { mean: 59.8, max: 60 },
        tickMs: { mean: 1.73, max: 4.2 },
        memoryMb: { mean: 412.6, max: 430 },
        answerMs: { mean: 3.1, max: 11.4 },
        machineCpuPercent: { mean: 12.5, max: 31 },
        machineMemoryMb: { mean: 3072, max: 3100 },
        gameCpuPercent: { mean: 8.1, max: 22.4 },
        gameMemoryMb: { mean: 1024, max: 1030 },
        diskPercent: { mean: 50, max: 50 },
      },
    ],
  },
  handle({ query, now }, { records }) {
    const to = timeOf(query.to ?? now) ?? 0
    const from = query.from === undefined ? to - day * 1000 : (timeOf(query.from) ?? 0)
    if (from >= to)
      throw new Problem('invalid_parameter', "Parameter 'from' must be earlier than 'to'", {
        parameter: 'from',
      })
    const smallest = wholeStep(Math.ceil((to - from) / 1000 / (maxPoints - 1)))
    const step = query.step === undefined ? smallest : wholeStep(query.step)
    if (step < smallest)
      throw new Problem(
        'invalid_parameter',
        `Parameter 'step' must be at least ${smallest} for this time: at most ${maxPoints} steps are answered`,
        { parameter: 'step' },
      )
    return records.samples({ from, to, step })
  },
})

const wholeStep = (seconds: number): number => {
  const unit = units.find((length) => seconds >= length) ?? 60
  return Math.ceil(seconds / unit) * unit
}
