import { expect, test } from 'vitest'
import { settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
import { newGame } from '../../../handlers/endpoints/new-game.ts'
import { reload } from '../../../handlers/endpoints/reload.ts'
import { stringifyJson } from '../../../lib/json.ts'
import { call, problemFrom } from '../../handlers/plain-game.ts'
import { failureOf } from '../contract/expectations.ts'
import { aFarm, gameDay, longestBreak } from './a-farm.ts'

async function tale(seed: string) {
  const { farm, clock, events, joins } = aFarm({ seed })
  const snapshots: unknown[] = []
  for (let passed = 0; passed < 2 * gameDay; passed += 60_000) {
    clock.advance(60_000)
    snapshots.push(await farm.status(), await farm.players(), await farm.farmhands(), await farm.cabins())
  }
  return stringifyJson({ events, joins, snapshots, picture: await farm.screenshot() })
}

test('the same random seed produces the same events, byte for byte', async () => {
  expect(await tale('clover')).toBe(await tale('clover'))
})

test('another random seed produces other events', async () => {
  expect(await tale('clover')).not.toBe(await tale('daisy'))
})

test('at speed 1 ten in-game minutes take 7 s and a player chats about every 20 s', async () => {
  const { farm, clock, events } = aFarm()
  expect((await farm.status()).timeOfDay).toBe(600)
  clock.advance(6_999)
  expect((await farm.status()).timeOfDay).toBe(600)
  clock.advance(1)
  expect((await farm.status()).timeOfDay).toBe(610)
  clock.advance(600_000 - 7_000)
  const lines = events.filter(({ type }) => type === 'chat').length
  expect(lines).toBeGreaterThan(24)
  expect(lines).toBeLessThan(40)
})

test('the speed applies to all events', async () => {
  const { farm, clock, events } = aFarm({ speed: 10 })
  clock.advance(700)
  expect((await farm.status()).timeOfDay).toBe(610)
  clock.advance(60_000 - 700)
  expect(events.filter(({ type }) => type === 'chat').length).toBeGreaterThan(24)
})

for (const file of [
  '{}',
  '{"Server":{"MaxPlayers":1}}',
  '{"Server":{"MaxPlayers":2,"CabinStrategy":"None"}}',
])
  test(`whenever the farm is ready a claimed farmhand is offline, and outside of breaks a player is online: ${file}`, async () => {
    const { farm, clock } = aFarm({ settings: settingsFromFile(file) })
    let looks = 0
    let empty = 0
    for (let passed = 0; passed < 3 * gameDay; passed += 5_000) {
      const status = await farm.status()
      if (status.isReady) {
        looks += 1
        const { players } = await farm.players()
        const { farmhands } = await farm.farmhands()
        const online = new Set(players.map(({ id }) => id))
        if (players.length === 0) empty += 1
        expect(status.isPaused).toBe(players.length === 0)
        expect(players.length).toBeLessThanOrEqual(status.maxPlayers)
        expect(farmhands.some(({ id, isCustomized }) => isCustomized && !online.has(id))).toBe(true)
        expect(farmhands.filter(({ isCustomized }) => !isCustomized).length).toBeGreaterThan(0)
      }
      clock.advance(5_000)
    }
    expect(looks).toBeGreaterThan(300)
    expect(empty).toBeGreaterThan(0)
    expect(empty).toBeLessThan(looks / 5)
  })

for (const seed of ['clover', 'daisy', 'farmgate', 'process'])
  test(`now and then no one is connected for about a minute, and a reload and a new game succeed: ${seed}`, async () => {
    const { farm, clock } = aFarm({ seed })
    const isEmpty = async () => (await farm.players()).players.length === 0
    const untilEmpty = async (isWanted: boolean) => {
      let passed = 0
      for (; (await isEmpty()) !== isWanted; passed += 1_000) {
        expect(passed).toBeLessThan(gameDay)
        clock.advance(1_000)
      }
      return passed
    }
    expect(await isEmpty()).toBe(false)
    for (const _time of [1, 2]) {
      // At least as long as six visits take, and at most as long as nine.
      const peopled = await untilEmpty(true)
      expect(peopled).toBeGreaterThan(6 * 40_000 - 1_000)
      expect(peopled).toBeLessThan(9 * 110_000 + 5_000)
      const empty = await untilEmpty(false)
      expect(empty).toBeGreaterThan(59_000)
      expect(empty).toBeLessThanOrEqual(longestBreak)
    }
    const { status } = await problemFrom(call(reload, '', farm))
    expect(status).toBe(409)
    await untilEmpty(true)
    expect(await call(reload, '', farm)).toMatchObject({ success: true })
    expect(await call(newGame, '', farm, { body: '{"farmName":"Clover"}' })).toMatchObject({ success: true })
    expect(await farm.status()).toMatchObject({ farmName: 'Clover', day: 1, playerCount: 0 })
    await untilEmpty(false)
  })

test('the clock of the farm stands still while no one is connected', async () => {
  const { farm, clock } = aFarm()
  while ((await farm.players()).players.length > 0) clock.advance(1_000)
  const { timeOfDay } = await farm.status()
  clock.advance(50_000)
  expect(await farm.status()).toMatchObject({ playerCount: 0, isPaused: true, timeOfDay })
})

test('a claimed farmhand is offline even after all offline ones are deleted, and a deleted one does not return at once', async () => {
  const { farm } = aFarm()
  for (let round = 0; round < 5; round += 1) {
    const online = new Set((await farm.players()).players.map(({ id }) => id))
    const { farmhands } = await farm.farmhands()
    const offline = farmhands.filter(({ id, isCustomized }) => isCustomized && !online.has(id))
    expect(offline.length).toBeGreaterThan(0)
    expect(online.size).toBeGreaterThan(0)
    for (const { id, name } of offline) {
      await farm.deleteFarmhand({ id, label: name })
      const names = (await farm.farmhands()).farmhands.map((farmhand) => farmhand.name)
      expect(names).not.toContain(name)
    }
  }
})

test('within ten minutes players have joined and left, through both lobbies, with names in several scripts', async () => {
  const { clock, events, joins } = aFarm()
  clock.advance(600_000)
  const kinds = new Set(events.map(({ type }) => type))
  expect([...kinds]).toEqual(
    expect.arrayContaining(['player_joined', 'player_left', 'chat', 'cabin_changed']),
  )
  clock.advance(gameDay)
  expect(new Set(joins.map(({ joinPath }) => joinPath))).toEqual(new Set(['relay', 'galaxy']))
  expect(joins.some(({ player }) => !/^[\p{Script=Latin}\p{Script=Common}]+$/u.test(player))).toBe(true)
})

test('players go to bed, and when all have, the day ends before 2 AM', async () => {
  const { controls, farm } = aFarm({ story: 'steered' })
  const { players } = await farm.players()
  for (const { id } of players) expect(controls.goToBed(id)).toBe(true)
  expect(await farm.status()).toMatchObject({ isReady: false, dayTransitionComplete: false, timeOfDay: 600 })
})

test('without intervention the players sleep and a new day starts', async () => {
  const { farm, clock, events } = aFarm()
  clock.advance(gameDay + 7_000)
  expect((await farm.status()).day).toBe(2)
  expect(events.filter(({ type }) => type === 'day_started')).toHaveLength(1)
})

test('a line from outside is shown to the players, not sent back, and sometimes answered', async () => {
  const { farm, clock, events, controls } = aFarm({ seed: 'talkative' })
  for (let sent = 0; sent < 10; sent += 1) {
    await farm.sendChat({ author: 'Web', message: `hello ${sent}` })
    clock.advance(6_000)
  }
  expect(controls.chatSeen).toContain('(Web) Web: hello 3')
  const chat = events.flatMap((event) => (event.type === 'chat' ? [event.message] : []))
  expect(chat.filter((message) => message.startsWith('hello'))).toEqual([])
  // Players start a chat at most every 15 s; the other lines are answers.
  expect(chat.length).toBeGreaterThan(4)
})

test('with scripted events nothing happens automatically', async () => {
  const { clock, events } = aFarm({ story: 'steered' })
  clock.advance(gameDay)
  expect(events).toEqual([])
})

test('a player says hi bot now and then, so that the bot of the README has something to answer', () => {
  const { clock, events } = aFarm()
  clock.advance(30 * 60_000)
  const greetings = events.filter((event) => event.type === 'chat' && event.message === 'hi bot')
  expect(greetings.length).toBeGreaterThan(5)
})

const platform = '76561198000000042'
const galaxy = '46000000000000042'

test('a farmhand claimed through one path is refused through the other until it is rebound', async () => {
  const { farm, controls, joins } = aFarm({ story: 'steered' })
  const { id } = controls.join({ name: 'Abby', connectionId: `SN_${platform}` })
  controls.leave(id)
  const claimedVia = async () =>
    (await farm.farmhands()).farmhands.find((farmhand) => farmhand.id === id)?.claimedVia
  expect(await claimedVia()).toBe('relay')

  expect(controls.join({ name: 'Abby', id, connectionId: `GN_${galaxy}` })).toEqual({
    id,
    refused: 'owned_by_another_identity',
  })
  const line = joins.at(-1)
  expect(line).toEqual({
    player: 'Abby',
    id: String(id),
    connectionId: `GN_${galaxy}`,
    joinPath: 'galaxy',
    identity: galaxy,
    refused: 'owned_by_another_identity',
  })

  await farm.rebindFarmhand({ id, label: 'Abby' }, line?.identity ?? '')
  expect(await claimedVia()).toBe('galaxy')
  expect(controls.join({ name: 'Abby', id, connectionId: `GN_${galaxy}` })).toEqual({ id })
  expect((await farm.players()).players.find((player) => player.id === id)).toEqual({
    id,
    name: 'Abby',
    isOnline: true,
    connection: { joinPath: 'galaxy', identity: galaxy },
  })
  expect(await failureOf(farm.rebindFarmhand({ id, label: 'Abby' }, platform))).toEqual({
    kind: 'farmhand_online',
    change: 'rebind',
    label: 'Abby',
  })
  controls.leave(id)
  expect(controls.join({ name: 'Abby', id, connectionId: `SN_${platform}` }).refused).toBe(
    'owned_by_another_identity',
  )
})

test('another account of the same path is refused as well', () => {
  const { controls } = aFarm({ story: 'steered' })
  const { id } = controls.join({ name: 'Abby', connectionId: `SN_${platform}` })
  controls.leave(id)
  expect(controls.join({ name: 'Eve', id, connectionId: 'SN_76561198000000043' }).refused).toBe(
    'owned_by_another_identity',
  )
})

test('where ownership is not enforced any path can play any farmhand', () => {
  const settings = settingsFromFile('{"server":{"enforceFarmhandOwnership":false}}')
  const { controls } = aFarm({ story: 'steered', settings })
  const { id } = controls.join({ name: 'Abby', connectionId: `SN_${platform}` })
  controls.leave(id)
  expect(controls.join({ name: 'Abby', id, connectionId: `GN_${galaxy}` })).toEqual({ id })
})

test('every join is logged with player, id, connection id and identity; over LAN there is none', () => {
  const { controls, joins } = aFarm({
    story: 'steered',
    settings: settingsFromFile('{"Server":{"AllowIpConnections":true}}'),
  })
  expect(joins.length).toBeGreaterThan(0)
  for (const { connectionId, identity } of joins)
    expect(connectionId).toMatch(new RegExp(`^[SG]N_${identity}$`))
  const { id } = controls.join({ name: '美咲', connectionId: 'L_192.168.0.7' })
  expect(joins.at(-1)).toEqual({
    player: '美咲',
    id: String(id),
    connectionId: 'L_192.168.0.7',
    joinPath: 'lan',
  })
})

test('direct IP joins are refused unless the settings allow them', () => {
  const { controls } = aFarm({ story: 'steered' })
  expect(controls.join({ name: 'Abby', connectionId: 'L_10.0.0.1' }).refused).toBe('ip_connections_off')
})

test('a full farm refuses a join and creates no farmhand for it', async () => {
  const { farm, controls } = aFarm({
    story: 'steered',
    settings: settingsFromFile('{"Server":{"MaxPlayers":2}}'),
  })
  const before = await farm.farmhands()
  while ((await farm.players()).players.length < 2) controls.join({ name: 'Filler' })
  expect(controls.join({ name: 'Late', id: 5n })).toEqual({ id: 5n, refused: 'farm_full' })
  expect((await farm.farmhands()).farmhands.map(({ id }) => id)).not.toContain(5n)
  expect(before.farmhands.length).toBeGreaterThan(0)
})

test('accounts that the settings name are admins from the moment they join', () => {
  const settings = settingsFromFile(`{"Server":{"AdminSteamIds":["${platform}"]}}`)
  const { controls } = aFarm({ story: 'steered', settings })
  const { id } = controls.join({ name: 'Abby', connectionId: `SN_${platform}` })
  expect(controls.isAdmin(id)).toBe(true)
})

test('two players can share a name', async () => {
  const { farm, controls } = aFarm({ story: 'steered' })
  const [one, two] = [controls.join({ name: 'Twin' }), controls.join({ name: 'Twin' })]
  expect(one.id).not.toBe(two.id)
  expect((await farm.players()).players.filter(({ name }) => name === 'Twin')).toHaveLength(2)
})

test('slots have int64 ids above 2^53, some negative, and the host is never among them', async () => {
  const { farm, clock, controls } = aFarm()
  const ids = new Set<bigint>()
  for (let minute = 0; minute < 60; minute += 1) {
    clock.advance(60_000)
    for (const { id } of (await farm.farmhands()).farmhands) ids.add(id)
    for (const { id } of (await farm.players()).players) expect(id).not.toBe(controls.hostId)
  }
  expect(ids).not.toContain(controls.hostId)
  expect([...ids].every((id) => id > 2n ** 53n || id < -(2n ** 53n))).toBe(true)
  expect([...ids].some((id) => id < 0n)).toBe(true)
  const host = { id: controls.hostId, label: 'Server' }
  expect(await failureOf(farm.grantAdmin(host))).toMatchObject({ kind: 'player_not_found' })
  expect(await failureOf(farm.deleteFarmhand(host))).toMatchObject({ kind: 'farmhand_not_found' })
})

test('both lobbies are public and their codes differ only in the prefix', async () => {
  const { farm, controls } = aFarm()
  const { platform: relay, galaxy: peer } = controls.lobbies
  expect([relay.visibility, peer.visibility]).toEqual(['public', 'public'])
  expect(relay.inviteCode).toMatch(/^S[0-9A-Z]{10}$/)
  expect(peer.inviteCode).toBe(`G${relay.inviteCode.slice(1)}`)
  expect(await farm.status()).toMatchObject({
    steamInviteCode: relay.inviteCode,
    gogInviteCode: peer.inviteCode,
  })
})

test('commands to the server are not sent as chat', () => {
  const { controls, events } = aFarm({ story: 'steered' })
  const { id } = controls.join({ name: 'Abby' })
  controls.say(id, '!cabin')
  controls.say(id, '!')
  expect(events.flatMap((event) => (event.type === 'chat' ? [event.message] : []))).toEqual(['!'])
  expect(controls.say(123n, 'I am not here')).toBe(false)
})
