/** The limits of the farm for its edge. */
import { describe, expect, test } from 'vitest'
import { type CallKind, edgeLimits } from '../../../bridges/linked/edge-limits.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { manualClock } from '../manual-clock.ts'

function limited(rates = { reads: 0, writes: 0 }) {
  const clock = manualClock()
  const lines: LogLine[] = []
  const limits = edgeLimits(rates, recorder(lines), clock.now)
  return {
    limits,
    clock,
    lines,
    /** Makes calls that end at once. @returns how many were made before the first refusal */
    madeOf(kind: CallKind, atMost = 10_000) {
      let made = 0
      while (made < atMost && limits.refusalOf(kind) === undefined) {
        limits.callEnded()
        made += 1
      }
      return made
    },
  }
}

describe('calls a minute', () => {
  test('are limited to ten times the rate of one client of the HTTP API, each kind separately', () => {
    const { madeOf } = limited({ reads: 30, writes: 2 })
    expect([madeOf('reads'), madeOf('writes'), madeOf('chat')]).toEqual([300, 20, 3600])
  })

  test('for the records are limited to three for each write and chat line', () => {
    expect(limited({ reads: 30, writes: 2 }).madeOf('records', 20_000)).toBe(3 * (20 + 3600))
    expect(limited().madeOf('records', 20_000)).toBe(20_000)
  })

  test('are unlimited for a rate of 0, except chat lines', () => {
    const { madeOf } = limited()
    expect([madeOf('reads'), madeOf('writes'), madeOf('chat')]).toEqual([10_000, 10_000, 3600])
  })

  test('become available again with time, and a refusal says in how many seconds', () => {
    const { limits, madeOf, clock } = limited({ reads: 0, writes: 1 })
    expect(madeOf('writes')).toBe(10)
    expect(limits.refusalOf('writes')).toEqual({
      kind: 'unavailable',
      because: 'rate_limited',
      retryAfter: 6,
    })
    clock.advance(6000)
    expect(madeOf('writes')).toBe(1)
    clock.advance(60_000)
    expect(madeOf('writes')).toBe(10)
  })
})

describe('concurrent calls', () => {
  test('are limited to 256 of all kinds together, and a finished one makes room for another', () => {
    const { limits } = limited()
    for (let call = 0; call < 128; call += 1)
      expect([limits.refusalOf('reads'), limits.refusalOf('writes')]).toEqual([undefined, undefined])
    expect(limits.refusalOf('chat')).toEqual({ kind: 'unavailable' })
    limits.callEnded()
    expect(limits.refusalOf('chat')).toBeUndefined()
    expect(limits.refusalOf('reads')).toEqual({ kind: 'unavailable' })
  })

  test('do not include refused calls', () => {
    const { limits, clock } = limited({ reads: 1, writes: 0 })
    for (let call = 0; call < 1000; call += 1) limits.refusalOf('reads')
    for (let call = 0; call < 246; call += 1) expect(limits.refusalOf('writes')).toBeUndefined()
    clock.advance(60_000)
    expect(limits.refusalOf('reads')).toEqual({ kind: 'unavailable' })
  })
})

test('frames are 30,000 a minute', () => {
  const { limits, clock } = limited()
  const taken = () => {
    let count = 0
    while (count < 40_000 && limits.takesFrame()) count += 1
    return count
  }
  expect(taken()).toBe(30_000)
  clock.advance(1000)
  expect(taken()).toBe(500)
})

test('refused calls are counted, and logged at most once a minute', () => {
  const { limits, lines, clock, madeOf } = limited({ reads: 1, writes: 0 })
  limits.report()
  expect(lines).toEqual([])
  madeOf('reads')
  for (let call = 0; call < 4; call += 1) limits.refusalOf('reads')
  limits.report()
  const line = (calls: number) => ({
    level: 'warn',
    fields: { calls },
    message: 'calls of the edge were refused: more than the farm takes',
  })
  expect(lines).toEqual([line(5)])
  limits.refusalOf('reads')
  clock.advance(59_999)
  limits.report()
  expect(lines).toHaveLength(1)
  clock.advance(1)
  limits.report()
  expect(lines).toEqual([line(5), line(1)])
})
