import { expect, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { abby, after, noon, recordedFarm, sam, stats } from './a-farm.ts'

type Farm = Awaited<ReturnType<typeof recordedFarm>>
/** Seconds to pass, or an action. */
type Step = number | ((farm: Farm) => unknown)

/** @returns a farm after these steps, in order */
async function farmAfter(...steps: readonly Step[]) {
  const farm = await recordedFarm()
  for (const step of steps) await (typeof step === 'number' ? farm.pass(step) : step(farm))
  return farm
}

const joins: Step = (farm) => farm.joins(abby)
const leaves: Step = (farm) => farm.leaves(abby)
const offline: Step = (farm) => farm.offline()
const back: Step = (farm) => farm.back()
const stops: Step = (farm) => farm.stop()
const starts: Step = (farm) => farm.startAgain()
/** All players leave without an event. */
const empties: Step = ({ game }) => {
  game.players = []
}
/** A session that has not ended. */
const lasting = { playerId: abby.id, name: 'Abby', joinedAt: after(0), joinPath: 'relay' }

test.each<[what: string, steps: readonly Step[], sessions: readonly object[]]>([
  [
    'a session is recorded with who played, when, and how the player connected',
    [joins, 90, leaves],
    [{ ...lasting, leftAt: after(90), ended: 'left' }],
  ],
  [
    'an unfinished session has neither an end nor a time of it',
    [(farm) => farm.joins(sam), 61],
    [{ playerId: sam.id, name: 'Sam', joinedAt: after(0) }],
  ],
  [
    'a farm that is back within two minutes with the same players continues their sessions',
    [joins, 60, offline, 110, back, 10],
    [lasting],
  ],
  [
    'a session of a player who is missing when the farm is back ended as away, at the start of the outage',
    [joins, 60, offline, 30, empties, back, 91],
    [{ ...lasting, leftAt: after(60), ended: 'away' }],
  ],
  [
    'a player_left that the bridge sends while the farm comes back does not end a session as left',
    [joins, 60, offline, 30, back, leaves, 91],
    [{ ...lasting, leftAt: after(60), ended: 'away' }],
  ],
  [
    'a farm that is offline for more than two minutes ends its sessions as away, at the start of the outage',
    [joins, 60, offline, 121],
    [{ ...lasting, leftAt: after(60), ended: 'away' }],
  ],
  [
    'the people who are there when such a farm is back have new sessions',
    [joins, 60, offline, 121, back, 1],
    [
      { ...lasting, joinedAt: after(182) },
      { ...lasting, leftAt: after(60), ended: 'away' },
    ],
  ],
  [
    'a session that was not seen again within two minutes of a restart ended as unknown, when it was last seen',
    [joins, 61, stops, 180, starts],
    [
      { ...lasting, joinedAt: after(241) },
      { ...lasting, leftAt: after(61), ended: 'unknown' },
    ],
  ],
  [
    'a player who left while farmgate did not run has a session that ended as unknown',
    [joins, 61, stops, empties, 20, starts, 101],
    [{ ...lasting, leftAt: after(61), ended: 'unknown' }],
  ],
  [
    'sessions of a run that ended are ended within two minutes also when the game does not come back',
    [joins, 61, stops, starts, offline, 121],
    [{ ...lasting, leftAt: after(61), ended: 'away' }],
  ],
])('%s', async (_what, steps, sessions) => {
  expect(await (await farmAfter(...steps)).sessions()).toEqual(sessions)
})

test('a player who joins again within two minutes after a restart of the game continues the session, which is one session', async () => {
  const farm = await farmAfter(joins, 60, offline, 30, empties, back, 60, joins, 60, leaves)
  expect(await farm.sessions()).toMatchObject([{ leftAt: after(210), ended: 'left' }])
  expect((await farm.records.playersSeen()).players).toMatchObject([{ minutesPlayed: 2, sessions: 1 }])
})

test('players who are connected when farmgate starts have sessions from then on', async () => {
  const farm = await recordedFarm()
  farm.stop()
  farm.game.players = [abby]
  await farm.pass(10)
  await farm.startAgain()
  expect(await farm.sessions()).toMatchObject([{ name: 'Abby', joinedAt: after(10) }])
})

test('two players with the same name have separate sessions', async () => {
  const farm = await recordedFarm()
  const twin = { ...sam, name: 'Abby' }
  farm.joins(abby)
  farm.joins(twin)
  await farm.pass(5)
  farm.leaves(twin)
  expect(await farm.sessions()).toMatchObject([{ playerId: twin.id, ended: 'left' }, { playerId: abby.id }])
  expect((await farm.records.playersSeen()).players).toHaveLength(2)
})

test('a renamed player continues the same session, under the new name', async () => {
  const farm = await recordedFarm()
  farm.joins({ ...abby, name: '' })
  await farm.pass(5)
  farm.emit({ type: 'player_joined', player: abby })
  expect(await farm.sessions()).toMatchObject([{ name: 'Abby', joinedAt: after(0) }])
  expect((await farm.records.playersSeen()).players).toMatchObject([{ name: 'Abby', sessions: 1 }])
})

test('after a restart with a clock that was set back the newest session is still first, and people have their newest names', async () => {
  const farm = await farmAfter(joins, 60, leaves, stops)
  farm.clock.wall -= 86_400_000
  await farm.startAgain()
  farm.joins({ ...abby, name: 'Abigail' })
  expect(await farm.sessions()).toMatchObject([{ name: 'Abigail' }, { name: 'Abby', ended: 'left' }])
  expect((await farm.records.playersSeen()).players).toMatchObject([{ name: 'Abigail', sessions: 2 }])
})

test.each([
  ['ahead by a year', 31_536_000_000],
  ['back by a day', -86_400_000],
])('a clock that is set %s does not change how long someone played', async (_how, jump) => {
  const farm = await farmAfter(joins, 120)
  farm.clock.wall += jump
  await farm.pass(120)
  farm.leaves(abby)
  const { players } = await farm.records.playersSeen()
  expect(players).toMatchObject([{ minutesPlayed: 4, sessions: 1 }])
  const [session] = await farm.sessions()
  expect(Date.parse(session?.leftAt ?? '')).toBeGreaterThanOrEqual(Date.parse(session?.joinedAt ?? ''))
})

test('minutes played are the reachable minutes of all sessions of a player', async () => {
  const farm = await farmAfter(joins, 60, offline, 60, back, 60, leaves, joins, 60, leaves)
  expect((await farm.records.playersSeen()).players).toEqual([
    {
      playerId: abby.id,
      name: 'Abby',
      firstSeen: after(0),
      lastSeen: after(240),
      // The second in which the farm came back is not counted.
      minutesPlayed: 2,
      sessions: 2,
    },
  ])
})

const spring = (day: number) => ({ day, season: 'spring' as const, year: 1 })
const hour = 3_600_000

test('a game day is recorded with the real times of its begin and end, and with its players', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(30)
  farm.begins(spring(2))
  await farm.pass(30)
  farm.joins(sam)
  farm.leaves(abby)
  await farm.pass(30)
  farm.begins(spring(3))
  expect((await farm.records.days({ limit: 10 })).days).toEqual([
    { ...spring(3), beganAt: after(90), players: [{ playerId: sam.id, name: 'Sam' }] },
    {
      ...spring(2),
      beganAt: after(30),
      endedAt: after(90),
      players: [
        { playerId: abby.id, name: 'Abby' },
        { playerId: sam.id, name: 'Sam' },
      ],
    },
    {
      ...spring(1),
      beganAt: after(0),
      endedAt: after(30),
      players: [{ playerId: abby.id, name: 'Abby' }],
    },
  ])
})

test('a restart within a day resumes the day; the end of a day that farmgate did not see is unknown', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  farm.stop()
  await farm.pass(60)
  await farm.startAgain()
  farm.stop()
  farm.game.status = { ...farm.game.status, ...spring(5) }
  await farm.startAgain()
  expect((await farm.records.days({ limit: 10 })).days).toEqual([
    { ...spring(5), beganAt: after(60), players: [{ playerId: abby.id, name: 'Abby' }] },
    { ...spring(1), beganAt: after(0), players: [{ playerId: abby.id, name: 'Abby' }] },
  ])
})

test("one sample a minute records the number of players and the game's health, also without requests", async () => {
  const farm = await recordedFarm()
  farm.game.answerMs = 12
  farm.joins(abby)
  await farm.pass(125)
  const { step, samples } = await farm.records.samples({ from: noon, to: noon + hour, step: 60 })
  expect(step).toBe(60)
  expect(samples.map(({ at }) => at)).toEqual([after(0), after(60), after(120)])
  expect(samples[1]).toEqual({
    at: after(60),
    players: { mean: 1, max: 1 },
    ticksPerSecond: { mean: 60, max: 60 },
    tickMs: { mean: 2, max: 2 },
    memoryMb: { mean: 400, max: 400 },
    answerMs: { mean: 12, max: 12 },
  })
})

test('an outage of the game leaves a hole', async () => {
  const farm = await recordedFarm()
  await farm.pass(61)
  farm.offline()
  await farm.pass(180)
  farm.back()
  await farm.pass(1)
  const { samples } = await farm.records.samples({ from: noon, to: noon + hour, step: 60 })
  expect(samples.map(({ at }) => at)).toEqual([after(0), after(60), after(240)])
})

test('a game without /stats has samples of its players and answer times', async () => {
  const farm = await recordedFarm()
  farm.game.stats = () => Promise.reject(new FarmError({ kind: 'unsupported', what: 'tell stats' }))
  await farm.pass(61)
  const { samples } = await farm.records.samples({ from: noon + 60_000, to: noon + hour, step: 60 })
  expect(samples).toEqual([{ at: after(60), players: { mean: 0, max: 0 }, answerMs: { mean: 0, max: 0 } }])
})

test.each([60, 300, 600, 1800, 3600, 7200])(
  'a step of %i s has the mean and the maximum of its samples',
  async (step) => {
    const farm = await recordedFarm()
    let asked = 0
    farm.game.stats = () => {
      asked += 1
      return Promise.resolve({ ...stats, avgTickMs: asked })
    }
    await farm.pass(7199)
    const { samples } = await farm.records.samples({ from: noon, to: noon + 3 * hour, step })
    // The sample of the start was 2; those after it are 1, 2, 3 and so on, one a minute.
    const ticks = [2, ...Array.from({ length: 119 }, (_, minute) => minute + 1)]
    const steps = Array.from({ length: Math.ceil(7200 / step) }, (_, at) =>
      ticks.slice((at * step) / 60, ((at + 1) * step) / 60),
    )
    expect(samples.map(({ tickMs }) => tickMs)).toEqual(
      steps.map((values) => ({
        mean: expect.closeTo(values.reduce((sum, value) => sum + value) / values.length, 2),
        max: Math.max(...values),
      })),
    )
  },
)
