/** What the report of a farm's object to the fleet says of players. */
import { expect, test } from 'vitest'
import { neverSeen } from '../../../handlers/game-records.ts'
import { type FleetReport, fleetReporter } from '../../../services/fleet/report.ts'

const hour = 3_600_000

test('players were last seen when the last one left or the link was lost, however long they were there', async () => {
  let [now, playerCount, snapshotAt] = [Date.UTC(2026, 10, 21), 1, 0]
  let isLinked = true
  const stored = new Map<string, unknown>()
  const sent: FleetReport[] = []
  let ended = () => {}
  const reporter = fleetReporter({
    game: {
      isLinked: () => isLinked,
      lastStatus: () => ({ ...neverSeen, playerCount }),
      health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 0, pendingActions: 0, snapshotAt }),
      upkeep: () => undefined,
      records: { state: () => 'ok' },
    },
    storage: {
      get: <Value>(name: string) => stored.get(name) as Value | undefined,
      put: (name: string, value: unknown) => void stored.set(name, value),
    },
    send: async (report) => void sent.push(report),
    ended: () => ended(),
    now: () => now,
    random: () => 0,
  })
  const reported = async () => {
    await new Promise<void>((resolve) => {
      ended = resolve
      reporter.update()
    })
    return sent.at(-1)
  }
  expect(await reported()).toMatchObject({ players: 1, playedAt: now })
  now += 46 * hour
  playerCount = 0
  expect(await reported()).toMatchObject({ players: 0, playedAt: now })
  playerCount = 2
  now += hour
  await reported()
  now += 46 * hour
  snapshotAt = now
  now += hour
  isLinked = false
  playerCount = 0
  expect(await reported()).toMatchObject({ players: 0, playedAt: snapshotAt })
  now += hour
  isLinked = true
  expect(await reported()).toMatchObject({ players: 0, playedAt: snapshotAt })
})
