import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTimeZone, nextTime, readCron } from '../../../services/schedules/cron-times.ts'

const minute = 60_000
const at = (text: string) => Date.parse(text)
const iso = (time: number | undefined) => time && new Date(time).toISOString()
const following = (cron: string, zone: string, from: string, count: number) => {
  const times: (number | undefined)[] = []
  let last: number | undefined = at(from)
  while (times.length < count && last !== undefined) {
    last = nextTime(cron, zone, last)
    times.push(last)
  }
  return times.map(iso)
}

describe('a local time that does not exist', () => {
  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['0 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', '2026-03-08T07:00:00.000Z'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', '2026-10-03T15:30:00.000Z'],
    ['30 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T00:00:00Z', '2011-12-30T10:00:00.000Z'],
  ])('%s in %s runs at the first moment after the gap', (cron, zone, from, expected) => {
    expect(iso(nextTime(cron, zone, at(from)))).toBe(expected)
  })

  test('runs once, also when several of them are in the gap', () => {
    expect(following('*/15 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
    ])
  })
})

test.each([
  [
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
  ],
  [
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T12:00:00Z',
    ['2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z'],
  ],
  [
    '0 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:30:00Z',
    ['2026-10-25T00:00:00.000Z', '2026-10-25T02:00:00.000Z'],
  ],
])('a local time that exists twice runs once: %s in %s', (cron, zone, from, expected) => {
  expect(following(cron, zone, from, 2)).toEqual(expected)
})

test.each([
  '@daily',
  '* * * * * *',
  '* * * *',
  '61 * * * *',
  'a b c d e',
  '*/0 * * * *',
  '',
  '2027-01-01T00:00:00',
])('"%s" is not a cron expression of five fields', (text) => expect(readCron(text)).toBeUndefined())

test('a day that never comes has no next time', () => {
  expect(nextTime('0 0 30 2 *', 'UTC', 0)).toBeUndefined()
})

test('zones are those of the IANA list: no offset, no invented name', () => {
  expect(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'].map(isTimeZone)).toEqual([true, true, true])
  expect(['+02:00', 'Mars/Olympus', '', 'Europe/'].map(isTimeZone)).toEqual([false, false, false, false])
})

/** The local minutes of a year, each with the moment at which a wall clock first shows it or a later one. */
function wallMinutes(zone: string, from: number, to: number) {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  const shownAt = (time: number) => Date.parse(`${clock.format(time).replace(' ', 'T')}:00Z`)
  let offset = 0
  // Clocks are set at quarters of an hour.
  const localOf = (time: number) => {
    if (time % (15 * minute) === 0) offset = shownAt(time) - time
    return time + offset
  }
  const shown: { readonly local: number; readonly time: number }[] = []
  let latest = localOf(from)
  for (let time = from + minute; time <= to; time += minute)
    for (const now = localOf(time); latest < now; ) {
      latest += minute
      shown.push({ local: latest, time })
    }
  return shown
}

const fits = (field: string, value: number) =>
  field.split(',').some((part) => {
    const [range = '', step] = part.split('/')
    if (step !== undefined) return value % Number(step) === 0
    const [first, last = first] = range.split('-')
    return range === '*' || (value >= Number(first) && value <= Number(last))
  })

const field = (...choices: readonly string[]) => fc.constantFrom(...choices)
const expression = fc.tuple(
  fc.oneof(fc.integer({ min: 0, max: 59 }).map(String), field('*/20', '5,35', '10-12')),
  fc.oneof(fc.integer({ min: 0, max: 23 }).map(String), field('*', '*/6', '0-3', '1,2,3')),
  field('*', '1', '25-31'),
  field('*', '3-4', '9,10,11'),
)

describe.each(['Australia/Lord_Howe', 'Africa/Casablanca'])('over the year 2026 in %s', (zone) => {
  test('a schedule runs once for each local time, at the first moment at which clocks show it or have passed it', () => {
    const [from, to] = [at('2025-12-31T12:00:00Z'), at('2027-01-01T12:00:00Z')]
    const shown = wallMinutes(zone, from, to).map(({ local, time }) => {
      const date = new Date(local)
      return {
        time,
        date: [date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth() + 1],
      }
    })
    fc.assert(
      fc.property(expression, (fields) => {
        const matching = shown.filter(({ date }) => fields.every((one, n) => fits(one, date[n] ?? 0)))
        const expected = [...new Set(matching.map(({ time }) => time))]
        const found: number[] = []
        const cron = `${fields.join(' ')} *`
        for (
          let time = nextTime(cron, zone, from);
          time !== undefined && time <= to;
          time = nextTime(cron, zone, time)
        )
          found.push(time)
        expect(found.map(iso)).toEqual(expected.map(iso))
      }),
      { numRuns: 6 },
    )
  })
})
