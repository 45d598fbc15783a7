/** The status and health of the game at the edge: the farm's last ones, and what follows from them. */
import { describe, expect, test } from 'vitest'
import { StatusReplica } from '../../../bridges/linked/edge-end/status-replica.ts'
import type { FarmHealth } from '../../../bridges/linked/protocol.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import { manualClock } from '../manual-clock.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const at = (milliseconds: number) => new Date(milliseconds).toISOString()
const well: FarmHealth = {
  gameAvailable: true,
  isFrozen: false,
  tickCount: 600,
  pace: 60,
  records: 'ok',
  lastTickMs: 5,
}
const online: Status = {
  ...neverSeen,
  isOnline: true,
  isReady: true,
  playerCount: 2,
  day: 4,
  season: 'spring',
  year: 1,
  lastUpdated: at(noon - 500),
}

/** A replica in an object that was loaded at noon. */
function replica({ stored = {}, isUp = false }: { stored?: Partial<Stored>; isUp?: boolean } = {}) {
  const clock = manualClock(noon)
  const written: unknown[] = []
  const one = new StatusReplica(
    {
      stored: () => ({ at: 0, healthAt: 0, ...stored }),
      keepStatus: (status, time) => written.push(['status', status, time]),
      keepHealth: (health, time) => written.push(['health', health, time]),
      flush: () => written.push('flush'),
    },
    isUp,
    clock.now,
  )
  return { replica: one, clock, written }
}
type Stored = ReturnType<ConstructorParameters<typeof StatusReplica>[0]['stored']>

/** A replica of a farm that sent its hello at noon. */
function linked(status = online) {
  const all = replica()
  all.replica.setStatus(status)
  all.replica.setHealth(well)
  return all
}

describe('before the farm was ever linked', () => {
  test('the status is that of a game that was never seen, offline since the object was loaded', () => {
    const { replica: one, clock } = replica()
    clock.advance(5000)
    expect(one.status(undefined)).toEqual(neverSeen)
    expect(one.health(false, 0)).toEqual({
      gameAvailable: false,
      awaySince: noon,
      isFrozen: false,
      tickCount: 0,
      pendingActions: 0,
      cause: { code: 'link_down', since: noon },
    })
  })
})

describe('a status from the farm', () => {
  test('is stored with the time, and its events are its differences to the one before', () => {
    const { replica: one, written, clock } = linked()
    expect(written).toEqual([
      ['status', online, noon],
      ['health', well, noon],
    ])
    clock.advance(1000)
    const next = { ...online, day: 5, isReady: false }
    const types = one.setStatus(next).map(({ type }) => type)
    expect(types).toEqual(['status_changed', 'day_started', 'ready_changed'])
    expect(written.at(-1)).toEqual(['status', next, noon + 1000])
    expect(one.show(noon + 1000)).toEqual([])
  })

  test('is the same object until something changes', () => {
    const { replica: one } = linked()
    expect(one.status(noon)).toBe(one.status(noon))
    expect(one.setStatus({ ...online })).toEqual([])
  })

  test('of a farm whose clock is ahead has no later time than now', () => {
    const { replica: one } = linked({ ...online, lastUpdated: at(noon + 3_600_000) })
    expect(one.status(noon).lastUpdated).toBe(at(noon))
  })

  test.each(['2026-11-21T12:00:00+05', '2026-11-21T12:00:00-23'])(
    "with an invalid time (%s) is shown with the time of the game's last sign of life",
    (lastUpdated) => {
      const { replica: one } = linked({ ...online, lastUpdated })
      expect(one.status(noon)).toEqual({ ...online, lastUpdated: at(noon) })
      const reloaded = replica({ stored: { status: { ...online, lastUpdated }, at: noon } })
      expect(reloaded.replica.status(undefined).isOnline).toBe(false)
    },
  )
})

describe('lastUpdated', () => {
  test('is the time of the last frame or heartbeat while the game is healthy, at most a second behind', () => {
    const { replica: one } = linked()
    expect(one.status(noon + 499).lastUpdated).toBe(at(noon - 500))
    expect(one.status(noon + 12_000).lastUpdated).toBe(at(noon + 12_000))
    expect(one.status(noon + 5000).lastUpdated).toBe(at(noon + 12_000))
  })

  test.each<[string, Partial<FarmHealth>, Partial<Status>]>([
    ['the game does not answer', { gameAvailable: false }, {}],
    ['its loop is frozen', { isFrozen: true }, {}],
    ['no farm is loaded', {}, { isOnline: false }],
  ])('stands still while %s', (_what, health, status) => {
    const { replica: one } = replica()
    one.setStatus({ ...online, ...status })
    one.setHealth({ ...well, ...health })
    expect(one.status(noon + 12_000).lastUpdated).toBe(at(noon - 500))
  })

  test('is stored when the link is lost, and stands still until the next', () => {
    const { replica: one, written } = linked()
    one.linkLost(noon + 30_000)
    const stored = { ...online, lastUpdated: at(noon + 30_000) }
    expect(written.slice(2)).toEqual([['status', stored, noon + 30_000], 'flush'])
    expect(one.status(undefined).lastUpdated).toBe(at(noon + 30_000))
  })

  test('is empty until the game was healthy once', () => {
    const { replica: one, written } = replica()
    one.setStatus(neverSeen)
    one.linkLost(noon)
    expect(one.status(undefined).lastUpdated).toBe('')
    expect(written.at(-2)).toEqual(['status', neverSeen, noon])
  })
})

describe('an offline game', () => {
  test('with a lost link shows the farm without its current state, by an event, since its last sign of life', () => {
    const { replica: one, clock } = linked()
    clock.advance(44_000)
    const events = one.linkLost(noon + 10_000)
    expect(events[0]).toMatchObject({
      type: 'status_changed',
      status: { isOnline: false, playerCount: 0, day: 4, season: 'spring' },
    })
    expect(one.health(false, 7)).toEqual({
      gameAvailable: false,
      awaySince: noon + 10_000,
      chatLostAt: noon + 10_000,
      isFrozen: false,
      tickCount: 600,
      pendingActions: 7,
      lastTickMs: 5 + 44_000,
      snapshotAt: noon + 10_000,
      cause: { code: 'link_down', since: noon + 10_000 },
    })
  })

  test('the cause is the one that the farm has sent, as long as its link is up, and the link otherwise', () => {
    const { replica: one } = linked()
    one.setHealth({ ...well, gameAvailable: false, cause: { code: 'key_refused', since: noon + 99_000 } })
    expect(one.health(true, 0).cause).toEqual({ code: 'key_refused', since: noon })
    expect(one.health(false, 0).cause?.code).toBe('link_down')
    one.setHealth(well)
    expect(one.health(true, 0).cause).toBeUndefined()
  })

  test("that the farm reports is offline since then, at the latest since the report: the farm's clock can be ahead", () => {
    const { replica: one } = linked()
    one.setHealth({ ...well, gameAvailable: false, awaySince: noon - 8000 })
    expect(one.health(true, 0).awaySince).toBe(noon - 8000)
    expect(one.status(noon).isOnline).toBe(false)
    one.setHealth({ ...well, gameAvailable: false, awaySince: noon + 3_600_000 })
    expect(one.health(true, 0).awaySince).toBe(noon)
  })

  test('is back with an event when the farm says so', () => {
    const { replica: one } = linked()
    const offline = one.setHealth({ ...well, gameAvailable: false, awaySince: noon })
    const back = one.setHealth(well)
    const shown = [...offline, ...back].map(
      (event) => event.type === 'status_changed' && event.status.isOnline,
    )
    expect(shown).toEqual([false, false, true, false])
  })

  test('lost the link no earlier than its last frame', () => {
    const { replica: one, clock } = linked()
    clock.advance(20_000)
    one.seen()
    one.linkLost(noon + 5000)
    expect(one.health(false, 0)).toMatchObject({ awaySince: noon + 20_000, snapshotAt: noon + 20_000 })
  })
})

describe('the health', () => {
  test('advances the ticks at the pace that the farm sent', () => {
    const { replica: one, clock } = linked()
    clock.advance(1250)
    expect(one.health(true, 3)).toStrictEqual({
      gameAvailable: true,
      isFrozen: false,
      tickCount: 675,
      pendingActions: 3,
      lastTickMs: 5,
      snapshotAt: noon,
    })
  })

  test('has a whole number of ticks', () => {
    const { replica: one, clock } = linked()
    clock.advance(24)
    expect(one.health(true, 0).tickCount).toBe(601)
  })

  test.each([
    ['is frozen', { isFrozen: true }, true, { isFrozen: true, gameAvailable: true }],
    ['does not answer', { gameAvailable: false }, true, { isFrozen: false, gameAvailable: false }],
    ['has no link', {}, false, { isFrozen: false, gameAvailable: false }],
    ['has no link and was frozen', { isFrozen: true }, false, { isFrozen: false, gameAvailable: false }],
  ])(
    'of a game that %s has ticks that stand still, the last of them ever longer ago',
    (_what, health, isUp, shown) => {
      const { replica: one, clock } = linked()
      one.setHealth({ ...well, ...health })
      clock.advance(3000)
      expect(one.health(isUp, 0)).toMatchObject({ ...shown, tickCount: 600, lastTickMs: 3005 })
    },
  )

  test('of a game without a tick yet has no time of a last tick', () => {
    const { replica: one } = replica()
    one.setHealth({ gameAvailable: true, isFrozen: false, tickCount: 0, pace: 60, records: 'ok' })
    expect(one.health(true, 0)).not.toHaveProperty('lastTickMs')
  })

  test('does not go backwards when the clock of the machine is set back', () => {
    const { replica: one } = replica({ stored: { health: well, at: noon + 9000, healthAt: noon + 9000 } })
    expect(one.health(true, 0)).toMatchObject({ tickCount: 600, snapshotAt: noon + 9000 })
  })
})

describe('an object that is loaded again', () => {
  const stored = { status: online, health: well, at: noon - 60_000, healthAt: noon - 120_000 }

  test("has the last status and health, and the start of the farm's outage", () => {
    const { replica: one } = replica({ stored })
    expect(one.status(undefined)).toMatchObject({ isOnline: false, day: 4, lastUpdated: at(noon - 500) })
    expect(one.health(false, 0)).toMatchObject({ awaySince: noon - 60_000, tickCount: 600 })
  })

  test('whose link is still open continues without an event', () => {
    const { replica: one } = replica({ stored, isUp: true })
    expect(one.show(noon)).toEqual([])
    expect(one.status(noon)).toMatchObject({ isOnline: true, playerCount: 2 })
    expect(one.health(true, 0).tickCount).toBe(600 + 120 * 60)
  })

  test('whose link is closed has already reported that the farm is offline', () => {
    const { replica: one } = replica({ stored })
    expect(one.show(undefined)).toEqual([])
  })
})
