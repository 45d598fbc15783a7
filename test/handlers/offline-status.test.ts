import { describe, expect, test } from 'vitest'
import { status as endpoint } from '../../handlers/endpoints/status.ts'
import { neverSeen, type Status } from '../../handlers/game-records.ts'
import { offlineStatus, presentStatus } from '../../handlers/offline-status.ts'
import { Problem, problemBody } from '../../handlers/problem.ts'
import { newerMembers } from './newer-status.ts'

const last: Status = {
  ...endpoint.example,
  isPaused: true,
  ...newerMembers,
}
const health = { gameAvailable: false, isFrozen: false, tickCount: 9, pendingActions: 0 }

describe('the status of an offline game', () => {
  test('keeps the name, date and settings of the farm but no players, codes or state', () => {
    expect(offlineStatus(last)).toEqual({
      playerCount: 0,
      maxPlayers: 10,
      serverVersion: '1.4.1',
      gameVersion: '1.6.15',
      isOnline: false,
      isReady: false,
      dayTransitionComplete: false,
      lastUpdated: '2026-11-21T12:00:00.000Z',
      farmName: 'Junimo',
      day: 5,
      season: 'spring',
      year: 1,
      timeOfDay: 900,
      farmTypeKey: 'Standard',
      isPaused: false,
      version: 1234,
      serverName: 'Clover',
    })
  })

  test('is zeros and empty strings if the game was never reached', () => {
    expect(offlineStatus(neverSeen)).toStrictEqual(neverSeen)
    for (const [member, value] of Object.entries(neverSeen))
      expect([member, [0, '', false]]).toEqual([member, expect.arrayContaining([value])])
  })

  test('is in the body of 503 game_unavailable, next to the members of an error', async () => {
    const game = { status: async () => last, health: () => ({ ...health, awaySince: 1 }) }
    const problem = await presentStatus(game).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect(problemBody(problem as Problem)).toEqual({
      success: false,
      error: expect.stringMatching(/\S/),
      code: 'game_unavailable',
      retry: true,
      ...offlineStatus(last),
    })
    expect(problem).toMatchObject({ status: 503, details: { retryAfter: expect.any(Number) } })
  })

  test('is not used in the first ten seconds of silence: the last status is passed on unchanged', async () => {
    expect(await presentStatus({ status: async () => last, health: () => health })).toBe(last)
  })
})
