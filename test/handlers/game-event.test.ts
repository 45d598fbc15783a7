import { expect, test } from 'vitest'
import { eventMessage, topicOf } from '../../handlers/chat/messages.ts'
import { cabins } from '../../handlers/endpoints/cabins.ts'
import { status } from '../../handlers/endpoints/status.ts'
import {
  cabinEvents,
  changedBeyondClock,
  isGameEvent,
  type LiveEvent,
  playerEvents,
  statusEvents,
} from '../../handlers/game-event.ts'

const person = (id: bigint) => ({ id, name: `P${id}`, isOnline: true })
const players = (...ids: bigint[]) => ({ players: ids.map(person), version: 1 })
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

test('players who left come before players who joined', () => {
  expect(playerEvents(players(1n, 2n), players(2n, 3n))).toEqual([
    { type: 'player_left', player: { ...person(1n), isOnline: false } },
    { type: 'player_joined', player: person(3n) },
  ])
  expect(playerEvents(players(1n, 2n), players(2n, 1n))).toEqual([])
})

test('a connected player whose name or connection changes is a player who changed, and no other is', () => {
  const named = (name: string, more: object = {}) => ({
    players: [{ ...person(1n), name, ...more }, person(2n)],
    version: 1,
  })
  const renamed = { type: 'player_changed', player: { ...person(1n), name: 'Abby' } }
  expect(playerEvents(named('Unknown'), named('Abby'))).toEqual([renamed])
  expect(playerEvents(named('Abby'), named('Abby'))).toEqual([])
  const relay = { connection: { joinPath: 'relay', identity: '7' } }
  const others = [
    { joinPath: 'galaxy', identity: '7' },
    { joinPath: 'relay', identity: '8' },
  ]
  for (const more of [{}, { ...relay, isOnline: false }, ...others.map((connection) => ({ connection }))])
    expect(types(playerEvents(named('Abby', relay), named('Abby', more)))).toEqual(['player_changed'])
  expect(types(playerEvents(named('Unknown'), { ...players(3n), version: 2 }))).toEqual([
    'player_left',
    'player_left',
    'player_joined',
  ])
})

test('two players with one name are two players', () => {
  const twins = (...ids: bigint[]) => ({
    players: ids.map((id) => ({ ...person(id), name: 'Twin' })),
    version: 1,
  })
  expect(playerEvents(twins(1n), twins(1n, 2n))).toHaveLength(1)
})

test('a status in which only version, lastUpdated and tps changed makes no event', () => {
  expect(statusEvents(status.example, { ...status.example, version: 9, lastUpdated: '', tps: 59 })).toEqual(
    [],
  )
})

test.each([
  [{ timeOfDay: 910 }, ['status_changed']],
  [{ day: 6 }, ['status_changed', 'day_started']],
  [{ day: 1, season: 'summer' }, ['status_changed', 'season_started', 'day_started']],
  [{ season: 'winter' }, ['status_changed', 'season_started', 'day_started']],
  [{ year: 2 }, ['status_changed', 'season_started', 'day_started']],
  [{ isReady: false }, ['status_changed', 'ready_changed']],
  [{ steamInviteCode: 'SNEW' }, ['status_changed']],
  [{ day: 0, season: '', year: 0, isOnline: false }, ['status_changed']],
] as const)('a status that changed by %j is %j', (change, expected) => {
  expect(types(statusEvents(status.example, { ...status.example, ...change }))).toEqual(expected)
})

test('the first day of a farm that was just loaded makes no event: the day before is unknown', () => {
  const unloaded = { ...status.example, day: 0, season: '' as const, year: 0 }
  expect(types(statusEvents(unloaded, status.example))).toEqual(['status_changed'])
})

test('only the time of day changes the clock and nothing else', () => {
  const changed = (change: object) => changedBeyondClock(status.example, { ...status.example, ...change })
  expect(
    [{}, { timeOfDay: 910 }, { lastUpdated: '', version: 9, tps: 59, timeOfDay: 910 }].map(changed),
  ).toEqual([false, false, false])
  expect(
    [{ day: 6 }, { isPaused: true }, { serverName: 'new' }, { timeOfDay: 910, playerCount: 3 }].map(changed),
  ).toEqual([true, true, true, true])
})

test('cabin_changed when any cabin, its owner, the strategy, a migration or a shared place changed', () => {
  const { example } = cabins
  const [first, second] = example.cabins
  if (first === undefined || second === undefined) throw new Error('the example has two cabins')
  expect(cabinEvents(example, structuredClone(example))).toEqual([])
  for (const change of [
    { strategy: 'None' },
    { cabins: [first] },
    { cabins: [{ ...first, tileX: 5 }, second] },
    { cabins: [{ ...first, ownerName: 'Other' }, second] },
    { cabins: [{ ...first, ownerId: 1n }, second] },
    { cabins: [{ ...first, isHidden: false }, second] },
    { cabins: [{ ...first, tileY: 5 }, second] },
    { cabins: [{ ...first, type: 'Log Cabin' }, second] },
    { cabins: [{ ...first, isAssigned: false }, second] },
    { cabins: [first, second, second] },
    { migration: { fromStrategy: 'None', toStrategy: 'CabinStack', placedCount: 1, remainingCount: 2 } },
    { stackSpot: { tileX: 1, tileY: 2, isOverride: true, isObstructed: false, obstructionChecked: true } },
    { mainFarmHouseEntry: { x: 64, y: 15 } },
  ])
    expect(cabinEvents(example, { ...example, ...change })).toEqual([
      { type: 'cabin_changed', cabins: { ...example, ...change } },
    ])
})

test('every event has a topic, and its message has topic, event, eventSeq and timestamp', () => {
  const events: LiveEvent[] = [
    { type: 'player_joined', player: person(2n ** 60n) },
    { type: 'status_changed', status: status.example },
    { type: 'cabin_changed', cabins: cabins.example },
    { type: 'rendering_changed', fps: 5 },
  ]
  expect(events.map(topicOf)).toEqual(['players', 'status', 'cabins', 'status'])
  expect(eventMessage({ type: 'player_joined', player: person(2n ** 60n) }, 7, 'now')).toBe(
    '{"type":"event","payload":{"topic":"players","event":"player_joined","eventSeq":7,"timestamp":"now",' +
      '"player":{"id":1152921504606846976,"idText":"1152921504606846976","name":"P1152921504606846976","isOnline":true}}}',
  )
})

test('gaps and lines of the log are the only events that the game has not made', () => {
  const made = { type: 'rendering_changed', fps: 5 } as const
  const others = [
    { type: 'gap', from: 1, to: 2 },
    { type: 'log', text: 'a' },
    { type: 'log_gap', lines: 1 },
  ] as const
  expect([made, ...others].filter(isGameEvent)).toEqual([made])
})
