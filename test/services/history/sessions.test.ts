import { expect, test } from 'vitest'
import { abby, after, recordedFarm, sam } from './a-farm.ts'

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
    'a player who joins again within two minutes after a restart of the game continues the session',
    [joins, 60, offline, 30, empties, back, 60, joins, 60],
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
    'a restart of farmgate within two minutes after SIGTERM continues the sessions of connected players',
    [joins, 61, stops, 60, starts],
    [lasting],
  ],
  [
    'a restart of farmgate within two minutes after kill -9 continues them too',
    [joins, 61, (farm) => farm.stop({ isKilled: true }), 60, starts],
    [lasting],
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

test('a session that continued over a restart of the game is one session', async () => {
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
