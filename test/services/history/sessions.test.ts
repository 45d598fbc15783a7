import { expect, test } from 'vitest'
import { abby, after, recordedFarm, sam } from './a-farm.ts'

test('a session is recorded with who played, when, and how the player connected', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(90)
  farm.leaves(abby)
  expect(await farm.sessions()).toEqual([
    {
      playerId: abby.id,
      name: 'Abby',
      joinedAt: after(0),
      leftAt: after(90),
      joinPath: 'relay',
      ended: 'left',
    },
  ])
})

test('a session that goes on has neither an end nor a time of it', async () => {
  const farm = await recordedFarm()
  farm.joins(sam)
  await farm.pass(61)
  expect(await farm.sessions()).toEqual([{ playerId: sam.id, name: 'Sam', joinedAt: after(0) }])
})

test('players who are there when farmgate starts have sessions from then on', async () => {
  const farm = await recordedFarm()
  farm.stop()
  farm.game.players = [abby]
  await farm.pass(10)
  await farm.startAgain()
  expect(await farm.sessions()).toMatchObject([{ name: 'Abby', joinedAt: after(10) }])
})

test('two players of the same name have sessions of their own', async () => {
  const farm = await recordedFarm()
  const twin = { ...sam, name: 'Abby' }
  farm.joins(abby)
  farm.joins(twin)
  await farm.pass(5)
  farm.leaves(twin)
  expect(await farm.sessions()).toMatchObject([{ playerId: twin.id, ended: 'left' }, { playerId: abby.id }])
  expect((await farm.records.playersSeen()).players).toHaveLength(2)
})

test('a renamed player goes on with the same session, under the new name', async () => {
  const farm = await recordedFarm()
  farm.joins({ ...abby, name: '' })
  await farm.pass(5)
  farm.emit({ type: 'player_joined', player: abby })
  expect(await farm.sessions()).toMatchObject([{ name: 'Abby', joinedAt: after(0) }])
  expect((await farm.records.playersSeen()).players).toMatchObject([{ name: 'Abby', sessions: 1 }])
})

test('a farm that goes away and is back within two minutes with the same people goes on with their sessions', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.away()
  await farm.pass(110)
  farm.back()
  await farm.pass(10)
  expect(await farm.sessions()).toEqual([
    { playerId: abby.id, name: 'Abby', joinedAt: after(0), joinPath: 'relay' },
  ])
})

test('a player who joins again within two minutes after a restart of the game goes on with the session', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.away()
  await farm.pass(30)
  farm.game.players = []
  farm.back()
  await farm.pass(60)
  farm.joins(abby)
  await farm.pass(60)
  expect(await farm.sessions()).toEqual([
    { playerId: abby.id, name: 'Abby', joinedAt: after(0), joinPath: 'relay' },
  ])
  farm.leaves(abby)
  expect(await farm.sessions()).toMatchObject([{ leftAt: after(210), ended: 'left' }])
  expect((await farm.records.playersSeen()).players).toMatchObject([{ minutesPlayed: 2, sessions: 1 }])
})

test('a session of a player who is not there when the farm is back ended as away, when the farm went away', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.away()
  await farm.pass(30)
  farm.game.players = []
  farm.back()
  await farm.pass(91)
  expect(await farm.sessions()).toMatchObject([{ leftAt: after(60), ended: 'away' }])
})

test('a player_left that the bridge sends while the farm comes back does not end a session as left', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.away()
  await farm.pass(30)
  farm.back()
  farm.leaves(abby)
  await farm.pass(91)
  expect(await farm.sessions()).toMatchObject([{ leftAt: after(60), ended: 'away' }])
})

test('a farm that stays away for more than two minutes ends its sessions as away, when it went away', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.away()
  await farm.pass(121)
  expect(await farm.sessions()).toMatchObject([{ leftAt: after(60), ended: 'away' }])
  farm.back()
  await farm.pass(1)
  expect(await farm.sessions()).toMatchObject([
    { joinedAt: after(182) },
    { leftAt: after(60), ended: 'away' },
  ])
})

test.each([
  ['SIGTERM', false, 60],
  ['kill -9', true, 60],
])(
  'a restart of farmgate within two minutes after %s goes on with the sessions of the people who are there',
  async (_how, isKilled, seconds) => {
    const farm = await recordedFarm()
    farm.joins(abby)
    await farm.pass(61)
    farm.stop({ isKilled })
    await farm.pass(seconds)
    await farm.startAgain()
    expect(await farm.sessions()).toEqual([
      { playerId: abby.id, name: 'Abby', joinedAt: after(0), joinPath: 'relay' },
    ])
  },
)

test('a session that was not seen again within two minutes of a restart ended as unknown, when it was last seen', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(61)
  farm.stop()
  await farm.pass(180)
  await farm.startAgain()
  expect(await farm.sessions()).toMatchObject([
    { joinedAt: after(241) },
    { leftAt: after(61), ended: 'unknown' },
  ])
})

test('a player who left while farmgate did not run has a session that ended as unknown', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(61)
  farm.stop()
  farm.game.players = []
  await farm.pass(20)
  await farm.startAgain()
  await farm.pass(101)
  expect(await farm.sessions()).toMatchObject([{ leftAt: after(61), ended: 'unknown' }])
})

test('sessions of a run that ended are ended within two minutes also when the game does not come back', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(61)
  farm.stop()
  await farm.startAgain()
  farm.away()
  await farm.pass(121)
  const [session] = await farm.sessions()
  expect(session).toMatchObject({ leftAt: after(61) })
})

test('after a restart with a clock that was set back the newest session is still first, and people have their newest names', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.leaves(abby)
  farm.stop()
  farm.clock.wall -= 86_400_000
  await farm.startAgain()
  farm.joins({ ...abby, name: 'Abigail' })
  expect(await farm.sessions()).toMatchObject([{ name: 'Abigail' }, { name: 'Abby', ended: 'left' }])
  expect((await farm.records.playersSeen()).players).toMatchObject([{ name: 'Abigail', sessions: 2 }])
})

test.each([
  ['ahead by a year', 31_536_000_000],
  ['back by a day', -86_400_000],
])('a clock that is set %s does not change how long somebody played', async (_how, jump) => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(120)
  farm.clock.wall += jump
  await farm.pass(120)
  farm.leaves(abby)
  const { players } = await farm.records.playersSeen()
  expect(players).toMatchObject([{ minutesPlayed: 4, sessions: 1 }])
  const [session] = await farm.sessions()
  expect(Date.parse(session?.leftAt ?? '')).toBeGreaterThanOrEqual(Date.parse(session?.joinedAt ?? ''))
})

test('minutes played are those in which the farm could be reached, of all sessions of a person', async () => {
  const farm = await recordedFarm()
  farm.joins(abby)
  await farm.pass(60)
  farm.away()
  await farm.pass(60)
  farm.back()
  await farm.pass(60)
  farm.leaves(abby)
  farm.joins(abby)
  await farm.pass(60)
  farm.leaves(abby)
  expect((await farm.records.playersSeen()).players).toEqual([
    {
      playerId: abby.id,
      name: 'Abby',
      firstSeen: after(0),
      lastSeen: after(240),
      // The second in which it was noticed that the farm is back is not counted.
      minutesPlayed: 2,
      sessions: 2,
    },
  ])
})
