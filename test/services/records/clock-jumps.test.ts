/** Rows are removed by their age only while the wall clock can be trusted. */
import { expect, test } from 'vitest'
import { agreesFor, steadyClock } from '../../../services/records/steady-clock.ts'
import { aKeeper, aWrite, newPath, rowId } from './a-keeper.ts'

const hour = 3_600_000
const day = 24 * hour
const year = 365 * day
const rows = Array.from({ length: 20 }, (_row, at) => at + 1)

/** A keeper with rows of the audit, a chat line and a session, and how many of each it has. */
async function filled(given: Parameters<typeof aKeeper>[1] = {}) {
  const kept = aKeeper(newPath(), given)
  await kept.write(...rows)
  const text = '{"payload":{"seq":1,"playerName":"","message":"","timestamp":""}}'
  await kept.calls.chatLine({ seq: 1, text }, kept.clock.now)
  const session = {
    id: rowId(0),
    playerId: 1n,
    name: 'Abby',
    joinedAt: kept.clock.now,
    seenAt: kept.clock.now,
  }
  await kept.calls.sessionBegan({ ...session, played: 0 })
  await kept.calls.sessionEnded({ ...session, played: 0 }, 'left')
  const counts = async () => [
    (await kept.rows()).length,
    (await kept.calls.chat({ limit: 9 })).lines.length,
    (await kept.calls.sessions({ limit: 9 })).sessions.length,
  ]
  return { ...kept, counts }
}
const all = [rows.length, 1, 1]
const none = [0, 0, 0]

test.each([1, 10])('a clock that is %d years ahead for a minute removes nothing', async (years) => {
  const { keeper, clock, pass, becomeSteady, counts } = await filled()
  becomeSteady()
  clock.ahead = years * year
  pass(60)
  expect(await counts()).toEqual(all)
  clock.ahead = 0
  pass(60)
  expect(await counts()).toEqual(all)
  keeper.close()
})

test('a clock that stays a year ahead removes nothing, for any length of time, and the log says why', async () => {
  const { keeper, clock, pass, becomeSteady, counts, notes } = await filled()
  becomeSteady()
  clock.ahead = year
  for (let time = 0; time < 20; time += 1) becomeSteady()
  pass(60)
  expect(await counts()).toEqual(all)
  expect(notes).toEqual([
    'the wall clock has jumped: records are not removed by age until it is back or farmgate is restarted',
  ])
  keeper.close()
})

test('a clock that jumps back and forth removes only rows that were too old before, and only after it has been right for three hours', async () => {
  const { keeper, clock, pass, becomeSteady, counts } = await filled()
  for (const ahead of [year, -year, day + hour, -24 * hour, 10 * year, -20 * year, 0]) {
    clock.ahead = ahead
    pass(60)
  }
  expect(await counts()).toEqual(all)
  clock.ahead = -year
  pass(60)
  clock.now += 100 * day
  pass(60)
  clock.ahead = 0
  pass(60)
  expect(await counts()).toEqual(all)
  becomeSteady()
  expect(await counts()).toEqual(none)
  keeper.close()
})

test('with 0 days nothing is kept, for any time of the clock', async () => {
  const { keeper, clock, pass, counts } = await filled({ days: { audit: 0, history: 0, chat: 0 } })
  clock.ahead = hour
  pass(1)
  expect(await counts()).toEqual(none)
  keeper.close()
})

test('steps of time synchronisation, a leap second and a machine that slept for a night do not stop the removal permanently', () => {
  let [wall, monotonic] = [0, 0]
  const jumps: number[] = []
  const clock = steadyClock(
    () => wall,
    () => monotonic,
    (jump) => jumps.push(jump),
  )
  const pass = (milliseconds: number) => {
    wall += milliseconds
    monotonic += milliseconds
    return clock.isSteady()
  }
  expect(pass(agreesFor)).toBe(true)
  wall -= 1000
  expect(pass(1000)).toBe(true)
  for (let night = 0; night < 10; night += 1) {
    wall += 8 * hour
    expect(pass(1000)).toBe(false)
    expect(pass(agreesFor)).toBe(true)
  }
  expect(jumps).toEqual([])
})

test('a clock that is wrong at the start and corrected within three hours was never trusted', () => {
  let [wall, monotonic] = [10 * year, 0]
  const clock = steadyClock(
    () => wall,
    () => monotonic,
    () => {},
  )
  for (let minute = 0; minute < 179; minute += 1) {
    monotonic += 60_000
    wall += 60_000
    expect(clock.isSteady()).toBe(false)
  }
  wall -= year
  expect(clock.isSteady()).toBe(false)
})

test.each(['Pacific/Apia', 'America/New_York', 'Europe/Berlin', 'Asia/Kathmandu', 'UTC'])(
  'the age of a row is counted in milliseconds of UTC: over the changes of time in %s and a leap day a row of 90 days stays to the second',
  async (zone) => {
    const before = process.env.TZ
    process.env.TZ = zone
    try {
      // 90 days over the 29th of February 2028 and the changes to summer time of both hemispheres.
      const written = Date.UTC(2028, 1, 10, 12)
      const kept = aKeeper(newPath(), { days: { audit: 90, history: 90, chat: 90 } })
      kept.clock.now = written
      await kept.calls.beganWrite(aWrite(0, { id: written * 1000, at: written }))
      const left = async () => (await kept.calls.audit({ limit: 9 })).entries.length
      kept.clock.now = written + 90 * day - agreesFor
      kept.keeper.tick()
      kept.becomeSteady()
      expect(await left()).toBe(1)
      kept.pass(1)
      expect(await left()).toBe(0)
      kept.keeper.close()
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  },
)
