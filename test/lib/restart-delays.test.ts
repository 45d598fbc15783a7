import { expect, test } from 'vitest'
import { restartDelays } from '../../lib/back-off.ts'

test('a thread that ends again and again is started again after longer and longer waits', () => {
  const next = restartDelays({ first: 1000, max: 60_000, stableAfter: 60_000 })
  expect([10, 10, 10].map((ranFor) => next(ranFor, 1))).toEqual([1000, 2000, 4000])
  for (let times = 0; times < 10; times += 1) next(10, 1)
  expect(next(10, 1)).toBe(60_000)
})

test('one that ran well for more than a minute is started again after the first wait', () => {
  const next = restartDelays({ first: 1000, max: 60_000, stableAfter: 60_000 })
  for (let times = 0; times < 10; times += 1) next(10, 1)
  expect(next(60_001, 1)).toBe(1000)
  expect(next(10, 1)).toBe(2000)
})
