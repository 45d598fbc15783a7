/** What the schemas of the game's records accept. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { cabins } from '../../handlers/endpoints/cabins.ts'
import { farmhands } from '../../handlers/endpoints/farmhands.ts'
import { health } from '../../handlers/endpoints/health.ts'
import { screenshot } from '../../handlers/endpoints/screenshot.ts'
import { status } from '../../handlers/endpoints/status.ts'
import { farmFailure } from '../../handlers/farm-error.ts'
import * as records from '../../handlers/game-records.ts'
import { anyInteger, int64 } from '../../handlers/int64.ts'
import { newerMembers } from './newer-status.ts'

describe('a record of the game', () => {
  test('has counts that are whole and not negative', () => {
    for (const member of ['playerCount', 'maxPlayers', 'day', 'year', 'timeOfDay', 'version'])
      for (const [value, fits] of [
        [0, true],
        [28, true],
        [-1, false],
        [0.5, false],
        [Number.NaN, false],
      ] as const)
        expect([member, value, v.is(records.status, { ...status.example, [member]: value })]).toEqual([
          member,
          value,
          fits,
        ])
  })

  test('has one of four seasons, or none before the game was seen', () => {
    for (const season of ['spring', 'summer', 'fall', 'winter', ''])
      expect(v.is(records.status, { ...status.example, season })).toBe(true)
    for (const season of ['autumn', 'Spring', null])
      expect(v.is(records.status, { ...status.example, season })).toBe(false)
  })

  test('has the time of the last answer in ISO 8601, or none before the first', () => {
    for (const lastUpdated of ['', '2026-11-21T12:00:00.000Z'])
      expect(v.is(records.status, { ...status.example, lastUpdated })).toBe(true)
    for (const lastUpdated of ['yesterday', '12:00', 0])
      expect(v.is(records.status, { ...status.example, lastUpdated })).toBe(false)
  })

  test('names a join path that farmgate knows', () => {
    for (const joinPath of ['relay', 'galaxy', 'lan', 'unknown'])
      expect(v.is(records.connection, { joinPath })).toBe(true)
    expect(v.is(records.connection, { joinPath: 'carrier pigeon' })).toBe(false)
  })

  test('may lack what only newer game servers tell, but not have it in another type', () => {
    expect(v.is(records.status, { ...status.example, ...newerMembers })).toBe(true)
    for (const member of Object.keys(newerMembers))
      expect([member, v.is(records.status, { ...status.example, ...newerMembers, [member]: {} })]).toEqual([
        member,
        false,
      ])
  })

  test('places a cabin at whole tiles, which may be negative', () => {
    const [cabin] = cabins.example.cabins
    expect(v.is(records.cabin, { ...cabin, tileX: -3 })).toBe(true)
    for (const wrong of [{ tileX: 0.5 }, { tileY: 0.5 }])
      expect(v.is(records.cabin, { ...cabin, ...wrong })).toBe(false)
  })

  test('tells how a farmhand was claimed only where that is known', () => {
    const [claimed, free] = farmhands.example.farmhands
    expect([v.is(records.farmhand, claimed), v.is(records.farmhand, free)]).toEqual([true, true])
    expect(v.is(records.farmhand, { ...free, claimedVia: 'a letter' })).toBe(false)
  })

  test('tells why there is no screenshot', () => {
    const failed = { success: false, width: 0, height: 0, error: 'no display' }
    expect(v.is(records.screenshot, failed)).toBe(true)
    expect(v.is(records.screenshot, { ...failed, error: 7 })).toBe(false)
    expect(v.is(records.screenshot, { ...screenshot.example, base64Png: 7 })).toBe(false)
  })

  test('is a health of two states', () => {
    for (const [state, fits] of [
      ['ok', true],
      ['degraded', true],
      ['fine', false],
    ] as const)
      expect(v.is(health.result, { ...health.example, status: state })).toBe(fits)
  })

  test('of a game that never answered is a status too', () => {
    expect(v.safeParse(records.status, records.neverSeen).issues).toBeUndefined()
  })
})

describe('the options of a new game', () => {
  const takes = (options: object) => v.is(records.newGame, options)

  test('are all optional', () => expect(takes({})).toBe(true))

  test('name a farm type by its number or its name', () => {
    expect([0, 'modded', 1.5, null].map((farmType) => takes({ farmType }))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('let one to a hundred players in', () => {
    expect([1, 100, 0, 1.5, 101].map((maxPlayers) => takes({ maxPlayers }))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  test('have a cabin strategy that the game knows, in any case', () => {
    const names = ['CabinStack', 'farmhousestack', ' None ', 'Tents', '1', '']
    expect(names.map((cabinStrategy) => takes({ cabinStrategy }))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })

  test('have a profit margin from a quarter to the full price', () => {
    expect([0.25, 0.5, 1, 0.2, 1.1].map((profitMargin) => takes({ profitMargin }))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('have no other types', () => {
    for (const wrong of [
      { farmName: 1 },
      { startingCabins: -1 },
      { cabinStrategy: 1 },
      { allowIpConnections: 'yes' },
      { separateWallets: 1 },
    ])
      expect([wrong, takes(wrong)]).toEqual([wrong, false])
  })
})

describe('an id', () => {
  test('is an int64 out of a bigint, or out of a number that a double holds exactly', () => {
    for (const id of [-(2n ** 63n), 2n ** 63n - 1n, 0n]) expect(v.parse(int64, id)).toBe(id)
    for (const id of [5, Number.MAX_SAFE_INTEGER]) expect(v.parse(int64, id)).toBe(BigInt(id))
    for (const wrong of [-(2n ** 63n) - 1n, 2n ** 63n, 2 ** 53, 1.5, '5', null])
      expect([wrong, v.is(int64, wrong)]).toEqual([wrong, false])
    expect(v.is(anyInteger, 2n ** 80n)).toBe(true)
  })
})

describe('a failure of a game', () => {
  test.each([
    { kind: 'unavailable' },
    { kind: 'unavailable', because: 'key_refused' },
    { kind: 'unavailable', because: 'rate_limited', retryAfter: 30 },
    { kind: 'not_ready' },
    { kind: 'timeout', write: true },
    { kind: 'bad_response', detail: 'no JSON' },
    { kind: 'bad_response', detail: 'no JSON', write: true },
    { kind: 'invalid_argument', sentence: 'No' },
    { kind: 'unsupported', what: 'fly' },
    { kind: 'farmhand_not_found', label: "'Abby'" },
    { kind: 'farmhand_online', label: "'Abby'", change: 'delete' },
    { kind: 'farmhand_online', label: "'Abby'", change: 'rebind' },
    { kind: 'player_not_found', label: 'id=1' },
    { kind: 'save_in_progress' },
    { kind: 'players_connected' },
    { kind: 'players_connected', count: 2 },
  ])('passes the link whole: %j', (failure) => {
    expect(v.parse(farmFailure, failure)).toEqual(failure)
    for (const member of Object.keys(failure))
      expect([member, v.is(farmFailure, { ...failure, [member]: {} })]).toEqual([member, false])
  })

  test('of an unknown kind does not pass', () => {
    expect(v.is(farmFailure, { kind: 'asleep' })).toBe(false)
  })
})
