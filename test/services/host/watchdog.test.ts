/** The watchdog with a game of a test, second by second, without a clock. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Action,
  ended,
  look,
  notBegun,
  type Sight,
  type Watch,
} from '../../../services/host/watchdog.ts'

const minute = 60
const well = {
  process: 'running',
  isAnswering: true,
  isNight: false,
  run: '1',
  age: undefined,
  isOperating: false,
} as const
const gone = { ...well, process: 'crashed', isAnswering: false, isNight: undefined } as const
const silent = { ...well, isAnswering: false, isNight: undefined } as const

/** A watchdog whose clock the test moves by whole seconds. @returns its actions, each with its second */
function aWatch(given: Partial<Watch> = {}) {
  let watch: Watch = {
    mode: 'restart',
    silence: 180_000,
    shouldRun: undefined,
    hasAnswered: false,
    isNightReported: false,
    restarts: [],
    hasGivenUp: false,
    ...given,
  }
  let now = 0
  const done: string[] = []
  const wordOf = (action: Action) => (action.do === 'give_up' ? action.do : `${action.do} ${action.trouble}`)
  return {
    done,
    watch: () => watch,
    sees(sight: Omit<Sight, 'at'>, seconds = 1) {
      for (let second = 0; second < seconds; second += 1) {
        now += 1
        const { watch: next, actions } = look(watch, { at: now * 1000, ...sight })
        watch = next
        for (const action of actions) done.push(`${now} ${wordOf(action)}`)
      }
    },
    /** An operation of so many seconds. */
    operates(action: 'start' | 'stop' | 'restart', state: string, isOwn = true, seconds = 30) {
      this.sees({ ...gone, isOperating: true }, seconds)
      watch = ended(watch, now * 1000, { action, state, isOwn })
    },
    refuses() {
      watch = notBegun(watch)
    },
    now: () => now,
  }
}

describe('a process that has ended without an operation', () => {
  test('is reported and started again at once', () => {
    const { sees, done } = aWatch()
    sees(well, 10)
    sees(gone)
    expect(done).toEqual(['11 report crashed', '11 restart crashed'])
    sees(gone, 600)
    expect(done).toHaveLength(2)
  })

  test('with notify is only reported, and once', () => {
    const { sees, done } = aWatch({ mode: 'notify' })
    sees(well)
    sees(gone, 10_000)
    expect(done).toEqual(['2 report crashed'])
  })

  test('that dies at once after each start is started after 0, 1 and 5 minutes; then the watchdog gives up, once', () => {
    const dog = aWatch()
    dog.sees(well, 10)
    dog.sees(gone)
    dog.operates('start', 'failed')
    dog.sees(gone, minute + 1)
    dog.operates('start', 'failed')
    dog.sees(gone, 5 * minute + 1)
    dog.operates('start', 'failed')
    dog.sees(gone, 7200)
    expect(dog.done).toEqual([
      '11 report crashed',
      '11 restart crashed',
      '42 report crashed',
      '102 restart crashed',
      '133 report crashed',
      '433 restart crashed',
      '464 report crashed',
      '464 give_up',
    ])
    expect(dog.watch().hasGivenUp).toBe(true)
  })

  test('that was stopped by an operation, or did not run when farmgate started, causes nothing', () => {
    const dog = aWatch()
    dog.sees(gone, 100)
    dog.sees(well, 10)
    dog.operates('stop', 'succeeded', false)
    dog.sees({ ...gone, process: 'stopped' }, 10_000)
    expect(dog.done).toEqual([])
  })

  test('while farmgate was down is trouble if the game ran before', () => {
    const { sees, done } = aWatch({ shouldRun: true })
    sees(gone)
    expect(done).toEqual(['1 report crashed', '1 restart crashed'])
  })

  test('and was restarted by its host is reported, and not restarted', () => {
    const { sees, done } = aWatch()
    sees(well)
    sees({ ...silent, run: '2' }, 60)
    sees({ ...well, run: '2' }, 600)
    expect(done).toEqual(['2 report crashed'])
  })

  test('and comes back while the watchdog waits is left alone', () => {
    const dog = aWatch({ restarts: [0] })
    dog.sees(well)
    dog.sees(gone, 30)
    dog.sees({ ...well, run: '2' }, 600)
    expect(dog.done).toEqual(['2 report crashed'])
  })
})

describe('a running game without an answer', () => {
  test('is reported and restarted after its time, not before', () => {
    const { sees, done } = aWatch()
    sees(well, 10)
    sees(silent, 179)
    expect(done).toEqual([])
    sees(silent, 600)
    expect(done).toEqual(['190 report no_answer', '190 restart hung'])
  })

  test('and answers in time causes nothing', () => {
    const { sees, done } = aWatch()
    for (let time = 0; time < 20; time += 1) {
      sees(well, 5)
      sees(silent, 170)
    }
    expect(done).toEqual([])
  })

  test('has ten minutes from the start of its process, where the host knows that', () => {
    const { sees, done } = aWatch()
    for (let age = 300; age < 600; age += 1) sees({ ...silent, age: age * 1000 })
    expect(done).toEqual([])
    sees({ ...silent, age: 600_000 })
    expect(done).toEqual(['301 report no_answer', '301 restart hung'])
  })

  test('is reported after ten minutes at most, also when the wall clock is set back', () => {
    const { sees, done } = aWatch()
    sees({ ...silent, age: -3_600_000 }, 601)
    expect(done).toEqual(['601 report no_answer', '601 restart hung'])
  })

  test('is reported after its time where the host does not say when it was started', () => {
    const { sees, done } = aWatch()
    sees(silent, 181)
    expect(done).toEqual(['181 report no_answer', '181 restart hung'])
  })

  test('after a failed restart is trouble again at once', () => {
    const dog = aWatch()
    dog.sees(well, 10)
    dog.sees(silent, 180)
    dog.operates('restart', 'failed')
    dog.sees(silent, 61)
    expect(dog.done.slice(2)).toEqual(['221 report no_answer', '281 restart hung'])
  })

  test('is left alone while its host does not answer', () => {
    const { sees, done } = aWatch()
    sees(well, 10)
    sees({ ...silent, process: 'unknown' }, 1000)
    expect(done).toEqual([])
  })

  test('is tried again, later, when the restart could not begin', () => {
    const dog = aWatch()
    dog.sees(well, 10)
    dog.sees(silent, 180)
    dog.refuses()
    dog.sees(silent, 61)
    expect(dog.done.slice(2)).toEqual(['191 report no_answer', '251 restart hung'])
  })
})

test('a night of 15 minutes is reported once and never restarted, and the next night is counted again', () => {
  const { sees, done } = aWatch()
  const night = { ...well, isNight: true }
  sees(well)
  sees(night, 900)
  expect(done).toEqual([])
  sees(night, 3600)
  expect(done).toEqual(['902 report night'])
  sees(well)
  sees(night, 901)
  expect(done).toHaveLength(2)
})

describe('a watchdog that has given up', () => {
  const tired = { restarts: [0, 0, 0], hasGivenUp: true }

  test('reports later events, does nothing, and does not give up again', () => {
    const dog = aWatch({ ...tired, shouldRun: true })
    dog.sees(gone, 10)
    dog.sees({ ...well, run: '2' }, 10)
    dog.sees(gone, 10)
    expect(dog.done).toEqual(['1 report crashed', '21 report crashed'])
  })

  test('watches again when the game is healthy an hour later, or after an operation of someone else', () => {
    const later = aWatch(tired)
    later.sees(well, 3599)
    expect(later.watch().hasGivenUp).toBe(true)
    later.sees(well, 1)
    expect(later.watch().hasGivenUp).toBe(false)
    const operated = aWatch(tired)
    operated.operates('start', 'succeeded', false)
    expect(operated.watch().hasGivenUp).toBe(false)
    operated.sees(gone)
    expect(operated.done).toEqual(['31 report crashed', '31 give_up'])
  })

  test('keeps that over its own operations', () => {
    const dog = aWatch(tired)
    dog.operates('start', 'succeeded')
    expect(dog.watch().hasGivenUp).toBe(true)
  })
})

test('for any behaviour of the game it acts never during an operation, at most three times an hour, and gives up once an hour at most', () => {
  const sight = fc.record({
    process: fc.constantFrom<Sight['process'][]>(
      'running',
      'running',
      'stopped',
      'crashed',
      'starting',
      'unknown',
    ),
    run: fc.constantFrom('1', '2', undefined),
    age: fc.constantFrom(-1000, 1000, 10_000_000, undefined),
    isAnswering: fc.boolean(),
    isNight: fc.constantFrom(true, false, undefined),
    isOperating: fc.boolean(),
    seconds: fc.integer({ min: 1, max: 400 }),
    end: fc.constantFrom('succeeded', 'failed', 'cancelled'),
    isOwn: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(sight, { maxLength: 40 }), (sights) => {
      const dog = aWatch()
      let operated = false
      for (const { seconds, end, isOwn, ...seen } of sights) {
        const before = dog.done.length
        if (operated && !seen.isOperating) dog.operates('restart', end, isOwn, 1)
        operated = seen.isOperating
        dog.sees(seen, seconds)
        if (seen.isOperating) expect(dog.done.slice(before)).toEqual([])
      }
      const times = dog.done.filter((one) => one.includes('restart')).map((one) => Number.parseInt(one, 10))
      for (const [at, time] of times.entries())
        expect(time - (times[at - 3] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(3600)
    }),
    { numRuns: 200 },
  )
})
