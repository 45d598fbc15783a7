/** The values that the schemas of the game's records accept. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { cabins } from '../../handlers/endpoints/cabins.ts'
import { farmhands } from '../../handlers/endpoints/farmhands.ts'
import { health } from '../../handlers/endpoints/health.ts'
import { screenshot } from '../../handlers/endpoints/screenshot.ts'
import { status } from '../../handlers/endpoints/status.ts'
import * as records from '../../handlers/game-records.ts'
import { anyInteger, int64 } from '../../handlers/int64.ts'
import { newerMembers } from './newer-status.ts'

/** Values that a schema accepts, and values that it refuses. */
type Row = readonly [
  promise: string,
  schema: v.GenericSchema,
  accepted: readonly unknown[],
  refused: readonly unknown[],
]

const statusWith = (member: string, ...values: readonly unknown[]) =>
  values.map((value) => ({ ...status.example, [member]: value }))
const options = (member: string, ...values: readonly unknown[]) =>
  values.map((value) => ({ [member]: value }))
const [cabin] = cabins.example.cabins
const [claimed, free] = farmhands.example.farmhands
const noScreenshot = { success: false, width: 0, height: 0, error: 'no display' }
const counts = ['playerCount', 'maxPlayers', 'day', 'year', 'timeOfDay', 'version']

test.each<Row>([
  [
    'a record has counts that are whole and not negative',
    records.status,
    counts.flatMap((member) => statusWith(member, 0, 28)),
    counts.flatMap((member) => statusWith(member, -1, 0.5, Number.NaN)),
  ],
  [
    'a record has one of four seasons, or none before the game was seen',
    records.status,
    statusWith('season', 'spring', 'summer', 'fall', 'winter', ''),
    statusWith('season', 'autumn', 'Spring', null),
  ],
  [
    'a record has the time of the last answer in ISO 8601, or none before the first',
    records.status,
    statusWith('lastUpdated', '', '2026-11-21T12:00:00.000Z'),
    statusWith('lastUpdated', 'yesterday', '12:00', 0),
  ],
  [
    'a record may lack what only newer game servers send, but not have it in another type',
    records.status,
    [{ ...status.example, ...newerMembers }],
    Object.keys(newerMembers).map((member) => ({ ...status.example, ...newerMembers, [member]: {} })),
  ],
  ['a game that never answered has a status too', records.status, [records.neverSeen], []],
  [
    'a connection names a join path that farmgate knows',
    records.connection,
    options('joinPath', 'relay', 'galaxy', 'lan', 'unknown'),
    options('joinPath', 'carrier pigeon'),
  ],
  [
    'a cabin is placed at whole tiles, which may be negative',
    records.cabin,
    [{ ...cabin, tileX: -3 }],
    [
      { ...cabin, tileX: 0.5 },
      { ...cabin, tileY: 0.5 },
    ],
  ],
  [
    'a farmhand says how it was claimed only where that is known',
    records.farmhand,
    [claimed, free],
    [{ ...free, claimedVia: 'a letter' }],
  ],
  [
    'a missing screenshot has its reason',
    records.screenshot,
    [noScreenshot],
    [
      { ...noScreenshot, error: 7 },
      { ...screenshot.example, base64Png: 7 },
    ],
  ],
  [
    'a health has one of two states',
    health.result,
    ['ok', 'degraded'].map((state) => ({ ...health.example, status: state })),
    [{ ...health.example, status: 'fine' }],
  ],
  [
    'the options of a new game are optional, and have no other types',
    records.newGame,
    [{}],
    [
      { farmName: 1 },
      { startingCabins: -1 },
      { cabinStrategy: 1 },
      { allowIpConnections: 'yes' },
      { separateWallets: 1 },
    ],
  ],
  [
    'a farm type of a new game is a number or a name',
    records.newGame,
    options('farmType', 0, 'modded'),
    options('farmType', 1.5, null),
  ],
  [
    'a new game lets one to a hundred players in',
    records.newGame,
    options('maxPlayers', 1, 100),
    options('maxPlayers', 0, 1.5, 101),
  ],
  [
    'a new game has a cabin strategy that the game knows, in any case',
    records.newGame,
    options('cabinStrategy', 'CabinStack', 'farmhousestack', ' None '),
    options('cabinStrategy', 'Tents', '1', ''),
  ],
  [
    'a new game has a profit margin from a quarter to the full price',
    records.newGame,
    options('profitMargin', 0.25, 0.5, 1),
    options('profitMargin', 0.2, 1.1),
  ],
])('%s', (_promise, schema, accepted, refused) => {
  const takes = (value: unknown) => [value, v.is(schema, value)]
  expect(accepted.map(takes)).toEqual(accepted.map((value) => [value, true]))
  expect(refused.map(takes)).toEqual(refused.map((value) => [value, false]))
})

describe('an id', () => {
  test('is an int64 from a bigint, or from a number that a double holds exactly', () => {
    for (const id of [-(2n ** 63n), 2n ** 63n - 1n, 0n]) expect(v.parse(int64, id)).toBe(id)
    for (const id of [5, Number.MAX_SAFE_INTEGER]) expect(v.parse(int64, id)).toBe(BigInt(id))
    for (const wrong of [-(2n ** 63n) - 1n, 2n ** 63n, 2 ** 53, 1.5, '5', null])
      expect([wrong, v.is(int64, wrong)]).toEqual([wrong, false])
    expect(v.is(anyInteger, 2n ** 80n)).toBe(true)
  })
})
