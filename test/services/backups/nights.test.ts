/** `npm run soak -- --phase nights` has 2,000 of them. */
import { expect, test } from 'vitest'
import { simulateNights } from '../../backups/nights.ts'

test.each(['one', 'two'])(
  'over nights with a crash at any step in one of five, each verified backup restores to a farm that the game loads with the right day, and each complete and played save has one: 30 nights, seed %s',
  async (seed) => {
    const { faults, crashes, backups } = await simulateNights(seed, 30)
    expect(faults).toEqual([])
    expect([crashes, backups].every((count) => count > 3)).toBe(true)
  },
)
