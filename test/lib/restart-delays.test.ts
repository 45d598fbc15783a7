import { expect, test } from 'vitest'
import { restartDelays } from '../../lib/back-off.ts'

test('a thread that keeps ending is restarted after longer and longer waits', () => {
  const next = restartDelays({ first: 1000, max: 60_000, stableAfter: 60_000 })
  expect([10, 10, 10].map((ranFor) => next(ranFor, 1))).toEqual([1000, 2000, 4000])
  for (let times = 0; times < 10; times += 1) next(10, 1)
  expect(next(10, 1)).toBe(60_000)
})

test('a thread that ran well for more than a minute is restarted after the first wait', () => {
  const next = restartDelays({ first: 1000, max: 60_000, stableAfter: 60_000 })
  for (let times = 0; times < 10; times += 1) next(10, 1)
  expect(next(60_001, 1)).toBe(1000)
  expect(next(10, 1)).toBe(2000)
})
