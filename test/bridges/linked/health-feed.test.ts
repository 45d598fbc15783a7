/** When the farm sends the game's health: only when the edge's estimate would be wrong. */
import { describe, expect, test } from 'vitest'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import { aFeed } from './a-feed.ts'

describe('the health', () => {
  test('at the start has the usual pace, and nothing that only the farm knows', () => {
    const { feed } = aFeed({ tickCount: 5, lastTickMs: 3, awaySince: 9 })
    expect(feed.health).toEqual({
      gameAvailable: true,
      isFrozen: false,
      tickCount: 5,
      pace: 60,
      records: 'ok',
      lastTickMs: 3,
      awaySince: 9,
    })
    expect(aFeed().feed.health).not.toHaveProperty('awaySince')
    expect(aFeed().feed.health).not.toHaveProperty('lastTickMs')
  })

  test("is not sent while the edge's estimate is right", () => {
    const { taken, pass } = aFeed()
    pass(3600)
    expect(taken()).toEqual([])
  })

  test.each<[string, Partial<GameHealth>]>([
    ['is no longer available', { gameAvailable: false, tickCount: 0 }],
    ['has a frozen loop', { isFrozen: true, tickCount: 0 }],
  ])('is sent once when the game %s, and once when it no longer is', (_what, health) => {
    const { setHealth, taken, pass } = aFeed()
    setHealth(health)
    pass(100)
    expect(taken()).toEqual([{ gameAvailable: true, isFrozen: false, pace: 60, records: 'ok', ...health }])
    setHealth({})
    pass(100)
    expect(taken()).toEqual([
      { gameAvailable: true, isFrozen: false, tickCount: 101 * 60, records: 'ok', pace: expect.any(Number) },
    ])
  })

  test('is sent again when the game has not answered for so long that it counts as offline', () => {
    const { setHealth, taken, pass } = aFeed()
    setHealth({ gameAvailable: false, tickCount: 0 })
    pass(1)
    setHealth({ gameAvailable: false, tickCount: 0, awaySince: 5 })
    pass(100)
    expect(taken()).toEqual([
      expect.not.objectContaining({ awaySince: 5 }),
      { gameAvailable: false, isFrozen: false, tickCount: 0, records: 'ok', pace: 60, awaySince: 5 },
    ])
  })

  test('of a game that went offline is sent before its status, and of one that came back after it', () => {
    const { setHealth, change, taken } = aFeed()
    setHealth({ gameAvailable: false, awaySince: 5, tickCount: 0 })
    change({ isOnline: false, timeOfDay: 610 })
    expect(taken()).toEqual([expect.objectContaining({ awaySince: 5 }), 610])
    setHealth({})
    change({ isOnline: true, timeOfDay: 620 })
    expect(taken()).toEqual([620, expect.not.objectContaining({ awaySince: 5 })])
  })

  test('is sent when the ticks are more than ten seconds off, with their measured pace', () => {
    const { setRate, taken, pass } = aFeed()
    pass(100)
    setRate(54)
    pass(1)
    expect(taken()).toEqual([expect.objectContaining({ tickCount: 101 * 54, pace: 54 })])
    setRate(60)
    pass(1)
    expect(taken()).toEqual([expect.objectContaining({ tickCount: 102 * 60 })])
  })

  test('is not sent for ticks that are exactly ten seconds off, and is for one more', () => {
    for (const off of [-1, 1]) {
      const { setHealth, taken, pass } = aFeed()
      setHealth({ tickCount: 60 + off * 600 })
      pass(1)
      expect(taken()).toEqual([])
      setHealth({ tickCount: 120 + off * 601 })
      pass(1)
      expect(taken()).toHaveLength(1)
    }
  })

  test('keeps its pace when too little time has passed to measure one', () => {
    const { setHealth, taken, pass } = aFeed()
    setHealth({ tickCount: 5000 })
    pass(10)
    expect(taken()).toEqual([expect.objectContaining({ tickCount: 5000, pace: 60 })])
  })

  test('of a restarted game, with fewer ticks than before, has no negative pace', () => {
    const { setHealth, taken, pass } = aFeed({ tickCount: 60_000 })
    setHealth({ tickCount: 60_000, isFrozen: false })
    for (let second = 0; second < 11; second += 1) {
      setHealth({ tickCount: 60_000 + 60 * (second + 1) })
      pass(1)
    }
    expect(taken()).toEqual([])
    setHealth({ tickCount: 10 })
    pass(1)
    expect(taken()).toEqual([expect.objectContaining({ tickCount: 10, pace: 0 })])
  })

  test('with ticks far off is not sent while the loop stands still: the edge does not count then', () => {
    const { setHealth, taken, pass } = aFeed()
    setHealth({ isFrozen: true, tickCount: 60 })
    pass(1)
    expect(taken()).toHaveLength(1)
    setHealth({ isFrozen: true, tickCount: 60_000 })
    pass(600)
    expect(taken()).toEqual([])
  })

  test('is sent once when the records fail, and once when they are written again', () => {
    const { records, taken, pass } = aFeed()
    records.state = 'failed'
    pass(10)
    expect(taken()).toEqual([expect.objectContaining({ records: 'failed' })])
    records.state = 'ok'
    pass(10)
    expect(taken()).toEqual([expect.objectContaining({ records: 'ok' })])
  })

  test('that a slow socket held back is sent once it drains, and only then counts as sent', () => {
    const { socket, setHealth, taken, pass } = aFeed()
    socket.isSlow = true
    setHealth({ isFrozen: true, tickCount: 60 })
    pass(30)
    expect(taken()).toEqual([])
    socket.isSlow = false
    pass(30)
    expect(taken()).toEqual([expect.objectContaining({ isFrozen: true })])
  })
})

describe('the status', () => {
  test('is sent at once when more than the clock has changed', () => {
    const { change, taken } = aFeed()
    change({ playerCount: 1, timeOfDay: 610 })
    expect(taken()).toEqual([610])
  })

  test('in which only the clock has changed is not sent, until more changes', () => {
    const { change, taken, pass } = aFeed()
    change({ timeOfDay: 610 })
    pass(300)
    expect(taken()).toEqual([])
    change({ isPaused: true })
    expect(taken()).toEqual([610])
    pass(10)
    expect(taken()).toEqual([])
  })

  test('is sent with every change for two minutes after a look, a pending change first', () => {
    const { feed, change, taken, pass } = aFeed()
    change({ timeOfDay: 610 })
    feed.look()
    change({ timeOfDay: 620 })
    expect(taken()).toEqual([610, 620])
    pass(119)
    change({ timeOfDay: 630 })
    expect(taken()).toEqual([630])
    pass(1)
    change({ timeOfDay: 640 })
    expect(taken()).toEqual([])
    feed.look()
    expect(taken()).toEqual([640])
  })

  test('that has not changed is not sent after a look', () => {
    const { feed, taken } = aFeed()
    feed.look()
    feed.look()
    expect(taken()).toEqual([])
  })

  test('is sent with every change while clients follow it', () => {
    const { feed, change, taken, pass } = aFeed()
    feed.watch(['status'])
    pass(600)
    change({ timeOfDay: 610 })
    expect(taken()).toEqual([610])
    feed.watch(['players'])
    change({ timeOfDay: 620 })
    expect(taken()).toEqual([])
  })

  test('for a slow socket is sent once it drains, only the newest', () => {
    const { socket, change, taken, pass } = aFeed()
    socket.isSlow = true
    change({ playerCount: 1, timeOfDay: 610 })
    change({ playerCount: 2, timeOfDay: 620 })
    pass(5)
    expect(taken()).toEqual([])
    socket.isSlow = false
    pass(5)
    expect(taken()).toEqual([620])
  })

  test('that a look requested and a slow socket held back is sent within the two minutes', () => {
    const { feed, socket, change, taken, pass } = aFeed()
    change({ timeOfDay: 610 })
    socket.isSlow = true
    feed.look()
    socket.isSlow = false
    pass(1)
    expect(taken()).toEqual([610])
  })
})

describe('other events', () => {
  const player = { id: 7n, name: 'Abby', isOnline: true }
  const cabins = {
    strategy: 'CabinStack',
    totalCount: 0,
    assignedCount: 0,
    availableCount: 0,
    cabins: [],
    savedPositionPlayerIds: [],
  }

  test('are sent only while clients follow their topics', () => {
    const { feed, taken } = aFeed()
    const events = () => {
      feed.event({ type: 'player_joined', player })
      feed.event({ type: 'player_left', player })
      feed.event({ type: 'cabin_changed', cabins })
      feed.event({ type: 'rendering_changed', fps: 30 })
      return taken()
    }
    expect(events()).toEqual([])
    feed.watch(['players'])
    expect(events()).toEqual(['player_joined', 'player_left'])
    feed.watch(['status', 'cabins'])
    expect(events()).toEqual(['cabin_changed', 'rendering_changed'])
  })

  test('that the edge derives from the status are never sent', () => {
    const { feed, taken } = aFeed()
    feed.watch(['players', 'status', 'cabins'])
    feed.event({ type: 'day_started', day: 2, season: 'spring', year: 1 })
    feed.event({ type: 'season_started', season: 'summer', year: 1 })
    feed.event({ type: 'ready_changed', isReady: true })
    expect(taken()).toEqual([])
  })
})
