/** What a farm reports to the fleet in addition to its game. */
import { expect, test } from 'vitest'
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { version } from '../../../lib/version.ts'
import { watchUpkeep } from '../../../services/fleet/upkeep.ts'

const hour = 3_600_000
const day = 24 * hour
const minute = 60_000
const at = (milliseconds: number) => new Date(milliseconds).toISOString()

/**
 * A watched farm whose parts the test sets; `look` looks again after so many milliseconds.
 * @param hasSaves whether SAVES_DIR is set
 */
function watched(hasSaves = true) {
  let now = Date.UTC(2026, 10, 21)
  const farm = {
    isNight: false,
    gameAvailable: true,
    saves: 'mounted' as 'mounted' | 'absent',
    lastVerifiedAt: undefined as number | undefined,
    isFailing: false,
    isWrong: false,
    steam: undefined as { logged_in: boolean; token_days_remaining?: number } | undefined,
    isDiskLost: false,
  }
  const upkeep = watchUpkeep({
    game: {
      status: async () => ({ ...neverSeen, isOnline: true, dayTransitionComplete: !farm.isNight }),
      health: () => ({
        gameAvailable: farm.gameAvailable,
        isFrozen: false,
        tickCount: 0,
        pendingActions: 0,
      }),
    },
    backups: {
      isFailing: () => farm.isFailing,
      port: {
        async backups() {
          if (farm.isDiskLost) throw new Error('no disk')
          const last = farm.lastVerifiedAt
          return {
            backups: [],
            state: {
              saves: farm.saves,
              nextAfter: 'game day',
              ...(last !== undefined && { lastVerifiedAt: at(last) }),
            },
          }
        },
        makeBackup: () => expect.fail('only looks'),
        restoreBackup: () => expect.fail('only looks'),
        removeBackup: () => expect.fail('only looks'),
        readBackup: () => expect.fail('only looks'),
      },
    },
    rightFarm: { isWrong: () => farm.isWrong },
    hasSaves,
    ticketService: { state: async () => farm.steam },
    now: () => now,
    monotonic: () => now,
  })
  return {
    farm,
    now: () => now,
    async look(after = 30_000): Promise<FarmUpkeep> {
      now += after
      await upkeep.tick()
      return upkeep.current()
    },
  }
}

test('a night is stuck when it has lasted five minutes, and no longer when it has ended', async () => {
  const { farm, look } = watched()
  farm.isNight = true
  expect(await look()).not.toHaveProperty('nightStuck')
  expect(await look(299_000)).not.toHaveProperty('nightStuck')
  expect(await look(31_000)).toHaveProperty('nightStuck', true)
  farm.isNight = false
  expect(await look()).not.toHaveProperty('nightStuck')
  farm.isNight = true
  expect(await look()).not.toHaveProperty('nightStuck')
})

test('a game that does not answer has no night', async () => {
  const { farm, look } = watched()
  farm.isNight = true
  farm.gameAvailable = false
  await look()
  expect(await look(600_000)).not.toHaveProperty('nightStuck')
})

test("the farm's upkeep has the release of farmgate, the last verified backup and the end of the sign-in to Steam", async () => {
  const { farm, look, now } = watched()
  farm.lastVerifiedAt = now() - hour
  farm.steam = { logged_in: true, token_days_remaining: 20 }
  expect(await look()).toEqual({
    version,
    backups: { lastAt: farm.lastVerifiedAt },
    steam: { endsAt: now() + 21 * day - 10 * minute },
  })
  farm.isFailing = true
  farm.steam = { logged_in: false }
  expect(await look()).toEqual({
    version,
    backups: { lastAt: farm.lastVerifiedAt, failing: true },
    steam: { signedOut: true },
  })
})

test('without SAVES_DIR and without an answer of the ticket service nothing is said of them', async () => {
  const { farm, look } = watched(false)
  farm.saves = 'absent'
  expect(await look()).toEqual({ version })
})

test('backups fail while SAVES_DIR cannot be read, such as after its mount is lost', async () => {
  const { farm, look, now } = watched()
  farm.lastVerifiedAt = now()
  farm.saves = 'absent'
  expect((await look()).backups).toEqual({ lastAt: farm.lastVerifiedAt, failing: true })
  farm.saves = 'mounted'
  expect((await look()).backups).toEqual({ lastAt: farm.lastVerifiedAt })
})

test('a backup within an hour of the last one that was sent, and the same number of days, wake no one', async () => {
  const { farm, look, now } = watched()
  farm.lastVerifiedAt = now()
  farm.steam = { logged_in: true, token_days_remaining: 20 }
  const first = await look()
  farm.lastVerifiedAt += hour / 2
  farm.steam = { logged_in: true, token_days_remaining: 20 }
  expect(await look(day / 2)).toEqual(first)
  farm.lastVerifiedAt += hour
  expect((await look()).backups?.lastAt).toBe(farm.lastVerifiedAt)
})

test('the end of the sign-in is corrected once, and then not sent again while its days pass', async () => {
  const { farm, look, now } = watched()
  const end = now() + 20.5 * day
  const sent = new Set<number>()
  for (let hours = 0; hours < 10 * 24; hours += 1) {
    const days = Math.floor((end - now() - hour) / day)
    farm.steam = { logged_in: true, token_days_remaining: days }
    const { endsAt = 0 } = (await look(hour)).steam ?? {}
    sent.add(endsAt)
    expect(Math.abs(Math.floor((endsAt - now()) / day) - days)).toBeLessThanOrEqual(1)
  }
  expect(sent.size).toBe(2)
})

test('a sign-in that has ended has no days left', async () => {
  const { farm, look, now } = watched()
  farm.steam = { logged_in: false, token_days_remaining: -3 }
  const { endsAt = 0 } = (await look()).steam ?? {}
  expect(Math.floor((endsAt - now()) / day)).toBe(0)
})

test('what cannot be read stays as it was', async () => {
  const { farm, look, now } = watched()
  farm.lastVerifiedAt = now()
  const { backups } = await look()
  farm.isDiskLost = true
  expect((await look()).backups).toEqual(backups)
})

test('it looks at most every 30 seconds', async () => {
  const { farm, look } = watched()
  await look()
  farm.isFailing = true
  expect((await look(29_000)).backups).toEqual({})
  expect((await look(1000)).backups).toEqual({ failing: true })
})

test('a game that does not play the expected farm is reported until it does', async () => {
  const { farm, look } = watched()
  expect(await look()).not.toHaveProperty('wrongFarm')
  farm.isWrong = true
  expect(await look()).toMatchObject({ wrongFarm: true })
  farm.isWrong = false
  expect(await look()).not.toHaveProperty('wrongFarm')
})
