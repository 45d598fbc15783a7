/** The state machine of an operation, with random games and hosts. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HostAction, HostRequest } from '../../../handlers/host-record.ts'
import {
  begin,
  canCancel,
  type Effect,
  type Facts,
  type Happening,
  hasEnded,
  longestNight,
  longestStart,
  type Progress,
  step,
} from '../../../services/host/operation.ts'
import { simulateOperations } from './random-operations.ts'

const minute = 60_000
const day: Facts = {
  at: 0,
  players: 0,
  isSaving: false,
  today: '1 spring 5',
  process: 'running',
  isHealthy: false,
  beforeStart: 'nothing',
  isRightFarm: undefined,
}
const now: HostRequest = { when: 'now', warnMinutes: [10, 5, 1], backup: true, force: false }
const looked: Happening = { type: 'looked' }
const done: Happening = { type: 'done' }

/** An operation that a test leads through its states. */
function operation(action: HostAction, request: Partial<HostRequest> = {}, facts: Partial<Facts> = {}) {
  let at = 0
  const all: Effect[] = []
  let { progress, effects } = begin(action, { ...now, ...request }, { ...day, ...facts }, true)
  all.push(...effects)
  const states = [progress.state]
  return {
    all,
    states,
    get progress() {
      return progress
    },
    /** @param after milliseconds since the last event */
    happens(happening: Happening, given: Partial<Facts> = {}, after = 1000) {
      at += after
      ;({ progress, effects } = step(progress, happening, { ...day, ...facts, ...given, at }))
      all.push(...effects)
      if (states.at(-1) !== progress.state) states.push(progress.state)
      return effects.map((effect) => effect.do)
    },
  }
}

describe('a restart', () => {
  test('of an empty farm makes a backup, stops the game, starts it, and succeeds when the game answers', () => {
    const { happens, states, all } = operation('restart')
    happens(done)
    happens(done, { process: 'stopped' })
    happens(done)
    happens(looked)
    happens(looked, { isHealthy: true })
    expect(states).toEqual(['backing_up', 'stopping', 'starting', 'checking', 'succeeded'])
    expect(all).toEqual([{ do: 'backup' }, { do: 'stop' }, { do: 'start' }])
  })

  test('warns connected players at each of the minutes, and stops the game after the last', () => {
    const { happens, all, progress } = operation('restart', { backup: false }, { players: 2 })
    expect(progress.state).toBe('warning')
    const warned: [minutes: number, at: number][] = []
    for (let second = 1; second <= 600; second += 1)
      if (happens(looked, { players: 2 }).length > 0) warned.push([all.length, second])
    expect(all).toEqual([
      { do: 'warn', minutes: 10 },
      { do: 'warn', minutes: 5 },
      { do: 'warn', minutes: 1 },
      { do: 'stop' },
    ])
    expect(warned).toEqual([
      [2, 300],
      [3, 540],
      [4, 600],
    ])
  })

  test('warns no one where no one is connected, and does not wait', () => {
    expect(operation('restart').states).toEqual(['backing_up'])
  })

  test('stops waiting for warnings when the last player has left', () => {
    const { happens } = operation('restart', {}, { players: 1 })
    expect(happens(looked, { players: 1 })).toEqual([])
    expect(happens(looked, { players: 0 })).toEqual(['backup'])
  })

  test('keeps warning while the game does not say who is connected', () => {
    const { happens, states } = operation('restart', {}, { players: 1 })
    happens(looked, { players: undefined })
    expect(states).toEqual(['warning'])
    happens(looked, { players: undefined }, 10 * minute)
    expect(states).toEqual(['warning', 'backing_up'])
  })

  test('when empty, does not stop a game that does not say who is connected', () => {
    const { happens, states } = operation('restart', { when: 'empty' }, { players: 0 })
    happens(done, { players: undefined })
    expect(states).toEqual(['backing_up', 'waiting'])
  })

  test('with force waits five minutes for each night, also when one ended before', () => {
    const { happens, states } = operation('restart', { force: true }, { isSaving: true })
    happens(looked, { isSaving: true }, 4 * minute)
    happens(looked, { isSaving: false })
    happens(done, { isSaving: true }, 2 * minute)
    expect(states).toEqual(['saving', 'backing_up', 'saving'])
    happens(looked, { isSaving: true }, 5 * minute)
    expect(states.at(-1)).toBe('stopping')
  })

  test('when empty, waits until no one is connected, also when someone joins during the backup', () => {
    const { happens, states } = operation('restart', { when: 'empty' }, { players: 3 })
    happens(looked, { players: 1 })
    happens(looked, { players: 0 })
    happens(done, { players: 1 })
    happens(looked, { players: 1 })
    happens(looked, { players: 0 })
    expect(states).toEqual(['waiting', 'backing_up', 'waiting', 'stopping'])
  })

  test('at night, waits until a day has been saved', () => {
    const { happens, states } = operation('restart', { when: 'night' })
    happens(looked)
    happens(looked, { isSaving: true })
    happens(looked, { isSaving: true })
    expect(states).toEqual(['waiting'])
    happens(looked)
    expect(states).toEqual(['waiting', 'backing_up'])
  })

  test('at night, also notices a night that was too short to be seen', () => {
    const { happens, states } = operation('restart', { when: 'night' }, { today: '' })
    happens(looked, { today: '1 spring 5' })
    happens(looked, { today: '1 spring 6' })
    expect(states).toEqual(['waiting', 'backing_up'])
  })

  test('of a game that has already ended only starts it', () => {
    const { happens } = operation('restart', { when: 'empty' }, { players: 1 })
    expect(happens(looked, { process: 'crashed' })).toEqual(['start'])
  })

  test('with a failed stop continues if the process has ended, and fails if it runs', () => {
    for (const [process, state] of [
      ['stopped', 'starting'],
      ['running', 'failed'],
      ['unknown', 'failed'],
    ] as const) {
      const { happens, states } = operation('restart', { backup: false })
      happens({ type: 'failed', error: 'No answer' }, { process })
      expect([process, states.at(-1)]).toEqual([process, state])
    }
  })
})

describe('a night', () => {
  test('in progress delays the stop until it has ended', () => {
    const { happens, states } = operation('stop', { backup: false }, { isSaving: true })
    happens(looked, { isSaving: true })
    expect(states).toEqual(['saving'])
    happens(looked, { isSaving: false })
    expect(states).toEqual(['saving', 'stopping'])
  })

  test('that begins during the backup delays the stop, without a second backup', () => {
    const { happens, all } = operation('stop')
    happens(done, { isSaving: true })
    happens(looked, { isSaving: true })
    happens(looked)
    expect(all).toEqual([{ do: 'backup' }, { do: 'stop' }])
  })

  test('of five minutes fails the operation; with force the game is then stopped', () => {
    for (const [force, state] of [
      [false, 'failed'],
      [true, 'stopping'],
    ] as const) {
      const { happens, progress, states } = operation('stop', { backup: false, force }, { isSaving: true })
      expect(progress.state).toBe('saving')
      happens(looked, { isSaving: true }, longestNight - 1)
      expect(states.at(-1)).toBe('saving')
      happens(looked, { isSaving: true }, 1)
      expect(states.at(-1)).toBe(state)
    }
  })
})

describe('a backup that fails', () => {
  test('fails the operation with its reason, and the game keeps running; with force the game is stopped', () => {
    const { happens, progress: _, ...rest } = operation('stop')
    happens({ type: 'failed', error: 'No backup was made' })
    expect([rest.states, rest.all]).toEqual([['backing_up', 'failed'], [{ do: 'backup' }]])
    const forced = operation('stop', { force: true })
    expect(forced.happens({ type: 'failed', error: 'No backup was made' })).toEqual(['stop'])
  })

  test('because a night runs is made after it', () => {
    const { happens } = operation('stop')
    happens({ type: 'failed', error: 'Saving', isNight: true }, { isSaving: true })
    expect(happens(looked, { isSaving: true })).toEqual([])
    expect(happens(looked)).toEqual(['backup'])
  })
})

describe('after a start', () => {
  test('a game that does not answer within ten minutes fails', () => {
    const { happens, states } = operation('start', {}, { process: 'stopped' })
    happens(done)
    happens(looked, { process: 'running' }, longestStart - 1)
    expect(states.at(-1)).toBe('checking')
    happens(looked, { process: 'running' }, 1)
    expect(states.at(-1)).toBe('failed')
  })

  test('a process that has ended fails within a minute, and one that the host restarts does not', () => {
    const { happens, states } = operation('start', {}, { process: 'stopped' })
    happens(done)
    happens(looked, { process: 'crashed' }, 20_000)
    happens(looked, { process: 'running' }, 20_000)
    happens(looked, { process: 'crashed' }, 20_000)
    expect(states.at(-1)).toBe('checking')
    happens(looked, { process: 'crashed' }, 40_000)
    expect(states.at(-1)).toBe('failed')
  })
})

test('a cancelled restart withdraws its warnings', () => {
  const { happens } = operation('restart', {}, { players: 1 })
  expect(happens({ type: 'cancelled' }, { players: 1 })).toEqual(['call_off'])
  expect(operation('restart').happens({ type: 'cancelled' })).toEqual([])
})

describe('with any game and host', () => {
  const facts = fc.record({
    players: fc.constantFrom(0, 0, 1, 4, undefined),
    isSaving: fc.boolean(),
    today: fc.constantFrom('', 'a', 'a', 'b'),
    process: fc.constantFrom('running', 'running', 'running', 'stopped', 'crashed', 'starting', 'unknown'),
    isHealthy: fc.boolean(),
  }) as fc.Arbitrary<Omit<Facts, 'at'>>
  const happening: fc.Arbitrary<Happening> = fc.oneof(
    { weight: 8, arbitrary: fc.constant(looked) },
    { weight: 3, arbitrary: fc.constant(done) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('failed' as const),
        error: fc.constant('No'),
        isNight: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'cancelled' } as const) },
  )
  const request = fc.record({
    when: fc.constantFrom('now', 'empty', 'night'),
    warnMinutes: fc.constantFrom([], [1], [10, 5, 1], [60, 3]),
    backup: fc.boolean(),
    force: fc.boolean(),
  }) as fc.Arbitrary<HostRequest>
  const happenings = fc.array(
    fc.record({ happening, facts, after: fc.constantFrom(0, 1000, 1000, 20_000, 2 * minute) }),
    { minLength: 1, maxLength: 60 },
  )
  const action = fc.constantFrom('start' as const, 'stop' as const, 'restart' as const)
  /** The awaited result of an effect: `done` and `failed` come only while one is pending. */
  const isAwaited = ({ state }: Progress) => ['backing_up', 'stopping', 'starting'].includes(state)
  const play = (
    each: (
      before: Progress,
      happening: Happening,
      facts: Facts,
      after: Progress,
      effects: readonly Effect[],
    ) => void,
  ) =>
    fc.property(
      action,
      request,
      facts,
      happenings,
      fc.boolean(),
      (asked, wanted, first, all, needsBackup) => {
        let at = 0
        let { progress, effects } = begin(asked, wanted, { at, ...first }, needsBackup)
        each(progress, looked, { at, ...first }, progress, effects)
        for (const one of all) {
          at += one.after
          const isResult = one.happening.type === 'done' || one.happening.type === 'failed'
          const what = isResult && !isAwaited(progress) ? looked : one.happening
          const before = progress
          ;({ progress, effects } = step(progress, what, { at, ...one.facts }))
          each(before, what, { at, ...one.facts }, progress, effects)
        }
      },
    )

  test('a game is never stopped while it saves, except with force after a night of five minutes (2,000 nights)', () => {
    let stops = 0
    fc.assert(
      play((before, _happening, { isSaving, at }, { request: { force } }, effects) => {
        const { nightSince = at } = before
        if (!effects.some((effect) => effect.do === 'stop')) return
        stops += 1
        expect(isSaving && !(force && at - nightSince >= longestNight)).toBe(false)
      }),
      { numRuns: 2000 },
    )
    expect(stops).toBeGreaterThan(200)
  })

  test('an operation is cancelled only before it has begun to stop the game, and an ended one does not change', () => {
    fc.assert(
      play((before, { type }, _facts, after, effects) => {
        if (hasEnded(before)) expect([after, effects]).toEqual([before, []])
        else if (type === 'cancelled') expect(after.state === 'cancelled').toBe(canCancel(before))
        else expect(after.state).not.toBe('cancelled')
      }),
    )
  })

  test('at most one awaited effect starts at once, and none while another is pending', () => {
    fc.assert(
      play((before, { type }, _facts, after, effects) => {
        const awaited = effects.filter((effect) => effect.do !== 'warn' && effect.do !== 'call_off')
        expect(awaited.length).toBeLessThanOrEqual(1)
        if (awaited.length === 1) expect(isAwaited(after)).toBe(true)
        if (isAwaited(before) && before !== after && type === 'looked') expect(awaited).toEqual([])
      }),
    )
  })

  test('an operation that does not wait for players or a night always ends, for any behaviour of the game', () => {
    fc.assert(
      fc.property(
        action,
        request,
        fc.array(facts, { minLength: 1, maxLength: 20 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
        (asked, wanted, cycle, results) => {
          let at = 0
          const factsAt = (turn: number): Facts => ({ at, ...(cycle[turn % cycle.length] ?? day) })
          let { progress } = begin(asked, { ...wanted, when: 'now' }, factsAt(0), true)
          for (let turn = 1; turn < 20_000 && !hasEnded(progress); turn += 1) {
            at += 1000
            const isDone = results[turn % results.length] === true
            const result: Happening = isDone ? done : { type: 'failed', error: 'No', isNight: turn % 2 === 0 }
            ;({ progress } = step(progress, isAwaited(progress) ? result : looked, factsAt(turn)))
          }
          expect(hasEnded(progress)).toBe(true)
        },
      ),
    )
  })
})

test.each([1, 2, 3, 4])(
  'random operations on a hostile game, by a farmgate that is killed at any moment, end with what is true and never stop a game that saves: 40, seed %i',
  async (seed) => {
    const { faults, operations, kills, stops } = await simulateOperations(seed, 40)
    expect(faults).toEqual([])
    expect([operations, kills > 2, stops > 1]).toEqual([40, true, true])
  },
)

describe('what the start of the game loads', () => {
  const refused = { beforeStart: { refused: 'It would create a new farm' } } as const

  test.each(['restart', 'start'] as const)(
    'a %s that would create a new farm fails before the game is stopped',
    (action) => {
      const { progress, all } = operation(action, {}, refused)
      expect(progress).toMatchObject({ state: 'failed', error: 'It would create a new farm' })
      expect(all).toEqual([])
    },
  )

  test('no player is warned of one that would create a new farm, and a stop is not held back', () => {
    expect(operation('restart', {}, { ...refused, players: 2 }).states).toEqual(['failed'])
    expect(operation('stop', {}, refused).states).toEqual(['backing_up'])
  })

  test('one that is found after the stop is not started', () => {
    const { happens, states, all } = operation('restart', { backup: false })
    happens(done, { process: 'stopped', ...refused })
    expect([states, all]).toEqual([['stopping', 'failed'], [{ do: 'stop' }]])
  })

  const changing = (more: Partial<Facts> = {}) => {
    const one = operation('load_save', { backup: false }, { beforeStart: 'preparation', ...more })
    return {
      ...one,
      get progress() {
        return one.progress
      },
    }
  }
  const stopped = { process: 'stopped' } as const

  test('another save is loaded while the game is stopped, and the game must play it', () => {
    const { happens, states, all } = changing()
    happens(done, stopped)
    happens(done, stopped)
    happens(done)
    happens(looked, { isHealthy: true })
    happens(looked, { isHealthy: true, isRightFarm: true })
    expect(states).toEqual(['stopping', 'preparing', 'starting', 'checking', 'succeeded'])
    expect(all.map((effect) => effect.do)).toEqual(['stop', 'prepare', 'start'])
  })

  const failures: readonly [string, (one: ReturnType<typeof changing>) => void][] = [
    ['the preparation fails', ({ happens }) => void happens({ type: 'failed', error: 'x' }, stopped)],
    [
      'the host does not start the game',
      ({ happens }) => {
        happens(done, stopped)
        happens({ type: 'failed', error: 'x' }, stopped)
      },
    ],
    [
      'the game plays another farm',
      ({ happens }) => {
        happens(done, stopped)
        happens(done)
        happens(looked, { isHealthy: true, isRightFarm: false, isSaving: true })
        happens(looked, { isHealthy: true, isRightFarm: false })
      },
    ],
    [
      'the game dies in its first minute',
      ({ happens }) => {
        happens(done, stopped)
        happens(done)
        happens(looked, stopped)
        happens(looked, stopped, minute)
      },
    ],
    [
      'the game never answers',
      ({ happens }) => {
        happens(done, stopped)
        happens(done)
        happens(looked, {}, longestStart)
      },
    ],
  ]
  test.each(failures)('the farm from before is started again where %s', (_what, fails) => {
    const one = changing()
    const { happens, states, all } = one
    happens(done, stopped)
    fails(one)
    expect(states.at(-1)).toBe('stopping')
    happens(done, stopped)
    happens(done, stopped)
    happens(done)
    happens(looked, { isHealthy: true, isRightFarm: true })
    expect(states.slice(-5)).toEqual(['stopping', 'preparing', 'starting', 'checking', 'failed'])
    expect(all.map((effect) => effect.do).slice(-3)).toEqual(['stop', 'undo', 'start'])
    expect(one.progress).toMatchObject({ isUndone: true, error: expect.any(String) })
  })

  test('one that is undone says what could not be put back', () => {
    const one = changing()
    one.happens(done, stopped)
    one.happens({ type: 'failed', error: 'No disk' }, stopped)
    one.happens(done, stopped)
    one.happens({ type: 'done', remark: 'The settings file is not as before: No disk' }, stopped)
    one.happens(done)
    one.happens(looked, { isHealthy: true, isRightFarm: true })
    expect(one.progress).toMatchObject({
      state: 'failed',
      isUndone: true,
      error: 'No disk. The settings file is not as before: No disk',
    })
  })

  test('one whose farm from before cannot be started has both reasons, and is not undone', () => {
    const one = changing()
    one.happens(done, stopped)
    one.happens({ type: 'failed', error: 'No disk' }, stopped)
    // Also where the host does not answer: the next start loads the farm from before.
    one.happens({ type: 'failed', error: 'No host' }, { process: 'unknown' })
    expect(one.states.at(-1)).toBe('preparing')
    one.happens({ type: 'failed', error: 'No disk again' }, stopped)
    expect(one.progress.state).toBe('failed')
    expect(one.progress.error).toBe('No disk. The farm from before does not run: No disk again')
    expect(one.progress.isUndone).toBeUndefined()
  })
})
