/** The lobby that players join: made, changed, and made again after Steam lost it. */
import { expect, test } from 'vitest'
import { PlatformError } from '../../ticket/errors.ts'
import { lobbyKeeper } from '../../ticket/lobby.ts'
import { MetadataTooLarge } from '../../ticket/lobby-metadata.ts'
import { type FakePlatform, fakePlatform, steamId, stillClock } from './fake-platform.ts'

const request = { gameServerId: 90_071_992_547_409_931n, protocolVersion: '1.6.15', maxMembers: 16 }
const base = {
  protocolVersion: '1.6.15',
  __gameserverIP: '0',
  __gameserverPort: '0',
  __gameserverSteamID: '90071992547409931',
}

function keeper() {
  const platform = fakePlatform()
  const warnings: string[] = []
  const clock = stillClock()
  const lobby = lobbyKeeper(platform, clock, (sentence) => void warnings.push(sentence))
  const lose = () => platform.set({ phase: 'waiting', steamId: undefined, retryAt: 0 })
  const comeBack = () => platform.set({ phase: 'logged_on', steamId, session: platform.state().session + 1 })
  return { platform, clock, lobby, warnings, lose, comeBack }
}

test('a lobby is created with the base metadata, which makes clients use the relay network', async () => {
  const { platform, lobby } = keeper()
  const id = await lobby.create(request)
  expect(platform.calls).toEqual([['create', { maxMembers: 16, metadata: base }]])
  expect(lobby.current()).toBe(id)
})

test('the full metadata map is kept and sent again with each change', async () => {
  const { platform, lobby } = keeper()
  const id = await lobby.create(request)
  // The game sends one request per key, all at once.
  await Promise.all([
    lobby.setData(id, { farmName: 'Clover' }),
    lobby.setData(id, { SteamLobbyId: '1' }),
    lobby.setData(id, { farmName: 'Moss' }),
  ])
  expect(platform.calls.at(-1)).toEqual([
    'set',
    id,
    { maxMembers: 16, metadata: { ...base, farmName: 'Moss', SteamLobbyId: '1' } },
  ])
})

test('an unknown id is NoMatch, also without a lobby', async () => {
  const { platform, lobby } = keeper()
  await expect(lobby.setData(1n, {})).rejects.toMatchObject({ result: 'NoMatch' })
  const id = await lobby.create(request)
  await expect(lobby.setData(id + 1n, {})).rejects.toMatchObject({ result: 'NoMatch' })
  await expect(lobby.check(id + 1n)).rejects.toMatchObject({ result: 'NoMatch' })
  await lobby.check(id)
  expect(platform.calls).toHaveLength(1)
})

test('when the session is restored a new lobby with the same data is created, and the next create returns it', async () => {
  const { platform, lobby, lose, comeBack } = keeper()
  const id = await lobby.create(request)
  await lobby.setData(id, { farmName: 'Clover' })
  lose()
  expect(lobby.current()).toBeUndefined()
  await expect(lobby.setData(id, {})).rejects.toMatchObject({ result: 'NoMatch' })
  comeBack()
  const renewed = await lobby.create({ ...request, gameServerId: 90_071_992_547_409_932n })
  expect(renewed).not.toBe(id)
  expect(platform.calls.slice(2)).toEqual([
    ['create', { maxMembers: 16, metadata: { ...base, farmName: 'Clover' } }],
    [
      'set',
      renewed,
      { maxMembers: 16, metadata: { ...base, __gameserverSteamID: '90071992547409932', farmName: 'Clover' } },
    ],
  ])
  await expect(lobby.setData(id, {})).rejects.toMatchObject({ result: 'NoMatch' })
  await lobby.setData(renewed, { farmName: 'Moss' })
})

test('a lobby that Steam lost is created again with the same data at the next create', async () => {
  const { platform, lobby } = keeper()
  const id = await lobby.create(request)
  await lobby.setData(id, { farmName: 'Clover' })
  platform.update = () => Promise.reject(new PlatformError('refused', 'NoMatch'))
  await expect(lobby.setData(id, { a: 'b' })).rejects.toMatchObject({ result: 'NoMatch' })
  const renewed = await lobby.create(request)
  expect(renewed).not.toBe(id)
  expect(platform.calls.at(-1)).toEqual([
    'create',
    { maxMembers: 16, metadata: { ...base, farmName: 'Clover', a: 'b' } },
  ])
})

test('a re-created lobby that Steam lost too is replaced by a new one at the next create', async () => {
  const { platform, lobby, lose, comeBack } = keeper()
  const id = await lobby.create(request)
  await lobby.setData(id, { farmName: 'Clover' })
  lose()
  comeBack()
  await lobby.check(id).catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  const remade = lobby.current()
  expect(remade).not.toBeUndefined()
  platform.update = () => Promise.reject(new PlatformError('refused', 'NoMatch'))
  const made = await lobby.create(request)
  expect(made).not.toBe(remade)
  expect(lobby.current()).toBe(made)
  expect(platform.calls.at(-1)).toEqual([
    'create',
    { maxMembers: 16, metadata: { ...base, farmName: 'Clover' } },
  ])
})

test('a second create makes a new lobby with fresh data and leaves the old one', async () => {
  const { platform, lobby } = keeper()
  const id = await lobby.create(request)
  await lobby.setData(id, { farmName: 'Clover' })
  const second = await lobby.create(request)
  expect(platform.calls.slice(2)).toEqual([
    ['create', { maxMembers: 16, metadata: base }],
    ['leave', id],
  ])
  expect(lobby.current()).toBe(second)
})

test('create waits during a login', async () => {
  const { lobby, lose, comeBack } = keeper()
  lose()
  const held = lobby.create(request)
  comeBack()
  expect(await held).toBeTypeOf('bigint')
})

test('the metadata of a lobby has at most 32 KB in all; a change beyond that is refused and changes nothing', async () => {
  const { platform, lobby } = keeper()
  const id = await lobby.create(request)
  const used = Object.entries(base).flat().join('').length
  await lobby.setData(id, { a: 'ü'.repeat((32_768 - used - 1) / 2) })
  const calls = platform.calls.length
  await expect(lobby.setData(id, { ab: 'x' })).rejects.toBeInstanceOf(MetadataTooLarge)
  expect(platform.calls).toHaveLength(calls)
  // A shorter value instead of the long one makes room.
  await lobby.setData(id, { a: '', ab: 'x' })
  expect(platform.calls.at(-1)).toEqual([
    'set',
    id,
    { maxMembers: 16, metadata: { ...base, a: '', ab: 'x' } },
  ])
})

const busy = () => Promise.reject(new PlatformError('refused', 'Busy'))
const turn = () => new Promise((resolve) => setImmediate(resolve))
const creates = (platform: FakePlatform) => platform.calls.filter(([name]) => name === 'create').length

test('a lobby that cannot be created again is tried again, after 1 s to 5 min, until it exists', async () => {
  const { platform, clock, lobby, warnings, lose, comeBack } = keeper()
  const id = await lobby.create(request)
  await lobby.setData(id, { farmName: 'Clover' })
  lose()
  const good = platform.lobby
  platform.lobby = busy
  comeBack()
  await turn()
  // The clock's random number is a half.
  for (const [round, seconds] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
    expect(creates(platform)).toBe(2 + round)
    expect(warnings.at(-1)).toBe(
      `The lobby could not be made again: Busy. Next try in ${Math.ceil(seconds * 0.75)} s`,
    )
    await clock.advance(seconds * 750 - 1)
    expect(creates(platform)).toBe(2 + round)
    await clock.advance(1)
  }
  platform.lobby = good
  await clock.advance(225_000)
  expect(lobby.current()).not.toBeUndefined()
  expect(platform.calls.at(-1)).toEqual([
    'create',
    { maxMembers: 16, metadata: { ...base, farmName: 'Clover' } },
  ])
  await clock.advance(600_000)
  expect(creates(platform)).toBe(14)
})

test('the attempts to create a lobby again end with their session, and the next session makes its own', async () => {
  const { platform, clock, lobby, lose, comeBack } = keeper()
  await lobby.create(request)
  lose()
  const good = platform.lobby
  platform.lobby = busy
  comeBack()
  await turn()
  expect(creates(platform)).toBe(2)
  lose()
  await clock.advance(600_000)
  expect(creates(platform)).toBe(2)
  platform.lobby = good
  comeBack()
  await turn()
  expect(creates(platform)).toBe(3)
  expect(lobby.current()).not.toBeUndefined()
})

test('after a rate limit a lobby is created again a minute later at the earliest', async () => {
  const { platform, clock, lobby, lose, comeBack } = keeper()
  await lobby.create(request)
  lose()
  const good = platform.lobby
  platform.lobby = () => Promise.reject(new PlatformError('rate_limited', 'RateLimitExceeded'))
  comeBack()
  await turn()
  platform.lobby = good
  await clock.advance(59_999)
  expect(creates(platform)).toBe(2)
  await clock.advance(1)
  expect(creates(platform)).toBe(3)
})

test('a create is tried again while Steam is busy and the game waits', async () => {
  const { platform, clock, lobby } = keeper()
  const good = platform.lobby
  platform.lobby = busy
  const held = lobby.create(request)
  await turn()
  platform.lobby = good
  await clock.advance(750)
  expect(lobby.current()).toBe(await held)
})

test('a create fails within 50 s while Steam stays busy', async () => {
  const { platform, clock, lobby } = keeper()
  platform.lobby = busy
  const failed = expect(lobby.create(request)).rejects.toMatchObject({ result: 'Busy' })
  for (let second = 0; second < 50; second += 1) await clock.advance(1000)
  await failed
})

test('a lobby whose session was lost during the request belongs to the session that answered', async () => {
  const { platform, lobby, lose, comeBack } = keeper()
  const { promise, resolve } = Promise.withResolvers<bigint>()
  platform.lobby = () => promise
  const held = lobby.create(request)
  await turn()
  lose()
  comeBack()
  resolve(7n)
  expect(await held).toBe(7n)
  await turn()
  expect(lobby.current()).toBe(7n)
  expect(creates(platform)).toBe(1)
})
