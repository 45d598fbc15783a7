import { expect, test } from 'vitest'
import { backOff } from '../../lib/back-off.ts'

const waits = (random: number) =>
  [1, 2, 3, 4, 5, 6].map((failures) => backOff({ first: 100, max: 1000 }, failures, random))

test('a wait doubles with each failure, up to the maximum', () => {
  expect(waits(1)).toEqual([100, 200, 400, 800, 1000, 1000])
})

test('a wait is at random between half and all of that, so that clients do not retry together', () => {
  expect(waits(0)).toEqual([50, 100, 200, 400, 500, 500])
})

test('an infinite number of failures gives the longest wait', () => {
  expect(backOff({ first: 100, max: 1000 }, Number.POSITIVE_INFINITY, 1)).toBe(1000)
})
