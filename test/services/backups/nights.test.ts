/** `npm run soak -- --phase nights` has 2,000 of them. */
import { expect, test } from 'vitest'
import { simulateNights } from '../../backups/nights.ts'

test('over nights with a crash at any step in one of five, each verified backup restores to a farm that the game loads with the right day, and each complete and played save has one', async () => {
  const { faults, crashes, backups } = await simulateNights('one', 20)
  expect(faults).toEqual([])
  expect([crashes, backups].every((count) => count > 3)).toBe(true)
})
