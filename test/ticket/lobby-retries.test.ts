/** A lobby that Steam does not make at once. */
import { expect, test } from 'vitest'
import { PlatformError } from '../../ticket/errors.ts'
import { base, keeper, request } from './a-lobby.ts'
import type { FakePlatform } from './fake-platform.ts'

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
