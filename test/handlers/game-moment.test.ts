import { expect, test } from 'vitest'
import { gameMoment } from '../../handlers/game-moment.ts'

const day = { isOnline: true, dayTransitionComplete: true }
const well = { gameAvailable: true, isFrozen: false }
const stale = { isStale: true } as const

test.each([
  ['offline', day, { ...well, gameAvailable: false, awaySince: 1 }],
  ['starting', day, { ...well, gameAvailable: false }],
  ['no_farm', { ...day, isOnline: false }, well],
  ['day', day, well],
  ['night', { ...day, dayTransitionComplete: false }, well],
  ['night', day, { ...well, ...stale }],
  // The main loop may stand still while the game saves.
  ['night', { ...day, dayTransitionComplete: false }, { ...well, isFrozen: true }],
  ['frozen', day, { ...well, isFrozen: true }],
  ['frozen', day, { ...well, ...stale, isFrozen: true }],
  ['frozen', { ...day, isOnline: false }, { ...well, isFrozen: true }],
] as const)('the moment is %s for %o and %o', (moment, status, health) => {
  expect(gameMoment(status, health)).toBe(moment)
})
