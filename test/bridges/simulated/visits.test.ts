import { expect, test } from 'vitest'
import { settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
import { failureOf } from '../contract/expectations.ts'
import { aFarm } from './a-farm.ts'

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
