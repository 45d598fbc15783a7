/** Clocks that are set and processes that are down, with the pure step of a schedule. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTime } from '../../../services/schedules/cron-times.ts'
import { nextDue, nextStep } from '../../../services/schedules/next-step.ts'

const minute = 60_000
const start = Date.parse('2026-03-28T20:00:00Z')

/** The clock that the process reads, and whether it runs; a step of time follows each. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ minutes: fc.integer({ min: 1, max: 90 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ minutes: fc.integer({ min: 1, max: 400 }), isDown: fc.constant(true) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ minutes: fc.constant(1), ahead: fc.integer({ min: -700, max: 700 }) }),
  },
)

test('for any change of the clock within a day, no time runs twice, and every other time that passes is run late or missed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('*/5 * * * *', '0 * * * *', '30 2 * * *', '0 */6 * * *'),
      fc.constantFrom('Europe/Berlin', 'UTC', 'Australia/Lord_Howe'),
      fc.array(happening, { minLength: 5, maxLength: 40 }),
      (cron, timeZone, happenings) => {
        const schedule = { cron, timeZone }
        let state: { readonly dueAt: number | undefined; readonly ranUpTo?: number } = {
          dueAt: nextDue(schedule, start),
        }
        const ran: number[] = []
        let now = start
        let ahead = 0
        const look = () => {
          const { dueAt, run, missed } = nextStep(
            { ...schedule, ...state } as Parameters<typeof nextStep>[0],
            now + ahead,
          )
          const clock = now + ahead
          if (run !== undefined) {
            ran.push(run)
            expect(run).toBeLessThanOrEqual(clock)
            expect(run).toBeGreaterThanOrEqual(clock - 15 * minute)
            expect(nextTime(cron, timeZone, run - 1)).toBe(run)
          }
          // A due time is run or reported, and then never comes again.
          const wasDue = state.dueAt !== undefined && state.dueAt <= clock
          expect(wasDue).toBe(run !== undefined || missed !== undefined)
          if (missed !== undefined) expect(missed).toBeLessThan(clock - 15 * minute)
          expect(dueAt).toBeGreaterThan(clock)
          state = { ...state, dueAt, ...(run !== undefined && { ranUpTo: run }) }
        }
        for (const { minutes, ...what } of happenings) {
          if ('ahead' in what) ahead = what.ahead * minute
          for (let passed = 0; passed < minutes; passed += 1) {
            now += minute
            if (!('isDown' in what)) look()
          }
        }
        expect(new Set(ran).size).toBe(ran.length)
      },
    ),
    { numRuns: 60 },
  )
})

const hourly = { cron: '0 * * * *', timeZone: 'UTC' }
const noon = Date.parse('2026-11-21T12:00:00Z')

test.each([
  [0, { run: noon }],
  [15, { run: noon }],
  [16, { missed: noon }],
  [70, { run: noon + 60 * minute, missed: noon }],
])('a run that is %i minutes late: %j', (late, step) => {
  const { dueAt: _, ...found } = nextStep({ ...hourly, dueAt: noon }, noon + late * minute)
  expect(found).toEqual(step)
})

test('a clock that was more than a day ahead does not stop a schedule for as long', () => {
  const now = noon + 30 * minute
  const far = { ...hourly, ranUpTo: now + 40 * 86_400_000, dueAt: now + 41 * 86_400_000 }
  expect(nextStep(far, now)).toEqual({ dueAt: noon + 60 * minute })
})
