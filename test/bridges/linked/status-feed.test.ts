/** The farm's unsolicited statuses and events: as few as possible, and none too late. */
import { describe, expect, test } from 'vitest'
import { aFeed } from './a-feed.ts'

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
