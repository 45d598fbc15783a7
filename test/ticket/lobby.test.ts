/** The lobby that players join: made, changed, and made again after Steam lost it. */
import { expect, test } from 'vitest'
import { PlatformError } from '../../ticket/errors.ts'
import { MetadataTooLarge } from '../../ticket/lobby-metadata.ts'
import { encodeMetadata } from '../../ticket/session/platform-requests.ts'
import { readMetadata } from '../platform/lobbies.ts'
import { base, keeper, request } from './a-lobby.ts'

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

test('metadata is sent as binary KeyValues', () => {
  const metadata = { ...base, farmName: 'Ferme à Trèfle 🍀', empty: '' }
  expect(readMetadata(encodeMetadata(metadata))).toEqual(metadata)
  expect(encodeMetadata({ a: 'b' }).toString('hex')).toBe('00000161006200' + '0808')
  expect(readMetadata(encodeMetadata({ 'a\0b': 'c\0d' }))).toEqual({ ab: 'cd' })
})
