/** `npm run soak -- --phase operations` has 1,000 of them. */
import { expect, test } from 'vitest'
import { simulateOperations } from './random-operations.ts'

test.each([1, 2, 3, 4])(
  'random operations on a hostile game, by a farmgate that is killed at any moment, end with what is true and never stop a game that saves: 40, seed %i',
  async (seed) => {
    const { faults, operations, kills, stops } = await simulateOperations(seed, 40)
    expect(faults).toEqual([])
    expect([operations, kills > 2, stops > 1]).toEqual([40, true, true])
  },
)
