/** The events that webhooks get, and when. */
import { describe, expect, test } from 'vitest'
import { isoTime } from '../../../handlers/iso-time.ts'
import { farmEvents } from '../../../services/webhooks/farm-events.ts'
import type { Notify } from '../../../services/webhooks/make-deliveries.ts'
import { tokenEnd } from '../../../services/webhooks/token-end.ts'
import { aNotifiedFarm, joins, says } from './a-notified-farm.ts'

/** A farm whose events are only listed. */
function aFarm(keepsChat = true) {
  const reported: unknown[][] = []
  const kept: { since?: number | undefined } = {}
  const notify: Notify = (event, data) => void reported.push([event, data])
  const farm = aNotifiedFarm()
  const listeners = new Set<Parameters<Parameters<typeof farmEvents>[0]['game']['subscribe']>[0]>()
  const start = () =>
    farmEvents({
      game: {
        health: () => farm.game.health,
        status: async () => farm.game.status,
        subscribe(listener) {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
      },
      notify,
      keepsChat,
      stuckSince: { read: async () => kept.since, keep: (since) => void Object.assign(kept, { since }) },
      now: () => farm.clock.wall,
      monotonic: () => farm.clock.monotonic,
    })
  let events = start()
  return {
    reported,
    listeners,
    close: () => events.close(),
    /** farmgate restarts; the game keeps running. */
    restart(seconds: number) {
      events.close()
      farm.clock.wall += seconds * 1000
      farm.clock.monotonic = 0
      events = start()
    },
    game: farm.game,
    emit: (event: ReturnType<typeof joins>) => listeners.forEach((listener) => void listener(event)),
    now: () => isoTime(farm.clock.wall),
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        farm.clock.wall += 1000
        farm.clock.monotonic += 1000
        await events.tick()
      }
    },
    offline(since: number | undefined) {
      const { awaySince: _, ...health } = farm.game.health
      farm.game.health = since === undefined ? health : { ...health, awaySince: since }
    },
    night(isNight: boolean) {
      farm.game.status = { ...farm.game.status, dayTransitionComplete: !isNight }
    },
    wall: () => farm.clock.wall,
  }
}

test('joins, also of players who are not on the allowlist, leaves, chat lines and days are sent as they happen', () => {
  const { reported, emit } = aFarm()
  emit(joins('Abby'))
  emit({ type: 'player.unlisted', player: { id: 7n, name: 'Abby', isOnline: true } })
  emit(says('hello'))
  emit({ type: 'day_started', day: 2, season: 'spring', year: 1 })
  emit({ type: 'player_left', player: { id: 7n, name: 'Abby', isOnline: false } })
  emit({ type: 'ready_changed', isReady: true })
  expect(reported).toEqual([
    ['player.joined', { playerId: 7n, name: 'Abby' }],
    ['player.unlisted', { playerId: 7n, name: 'Abby' }],
    ['chat.message', { playerName: 'Abby', message: 'hello', timestamp: '2026-11-21T12:00:00.000Z' }],
    ['day.started', { day: 2, season: 'spring', year: 1 }],
    ['player.left', { playerId: 7n, name: 'Abby' }],
  ])
})

test('if chat lines are never written to the disk, none is sent', () => {
  const { reported, emit } = aFarm(false)
  emit(says('hello'))
  expect(reported).toEqual([])
})

test('nothing is sent after the end', () => {
  const { close, listeners } = aFarm()
  close()
  expect(listeners.size).toBe(0)
})

describe('an offline farm', () => {
  test('is reported once, and once when it is back with a farm loaded', async () => {
    const { reported, offline, pass, game, wall, now } = aFarm()
    await pass(3)
    offline(wall())
    const since = now()
    await pass(60)
    expect(reported).toEqual([['farm.away', { since }]])
    offline(undefined)
    game.status = { ...game.status, isOnline: false }
    await pass(60)
    expect(reported).toHaveLength(1)
    game.status = { ...game.status, isOnline: true }
    await pass(60)
    expect(reported.slice(1)).toEqual([['farm.online', {}]])
  })

  test('is not reported as stuck at night', async () => {
    const { reported, offline, night, pass, wall } = aFarm()
    night(true)
    await pass(200)
    offline(wall())
    await pass(600)
    expect(reported.map(([event]) => event)).toEqual(['farm.away'])
  })
})

describe('a farm that is stuck at night', () => {
  test('for five minutes is reported once, and its recovery once', async () => {
    const { reported, night, pass } = aFarm()
    await pass(1)
    night(true)
    await pass(1)
    const since = '2026-11-21T12:00:02.000Z'
    await pass(299)
    expect(reported).toEqual([])
    await pass(3600)
    expect(reported).toEqual([['farm.stuck', { state: 'stuck', since }]])
    night(false)
    await pass(3600)
    expect(reported.slice(1)).toEqual([['farm.stuck', { state: 'recovered', since }]])
  })

  test('for five minutes is reported once, and its recovery once, also when farmgate restarts in between', async () => {
    const { reported, night, pass, restart } = aFarm()
    night(true)
    await pass(301)
    restart(30)
    await pass(3600)
    restart(30)
    night(false)
    await pass(600)
    restart(30)
    await pass(600)
    const since = '2026-11-21T12:00:01.000Z'
    expect(reported).toEqual([
      ['farm.stuck', { state: 'stuck', since }],
      ['farm.stuck', { state: 'recovered', since }],
    ])
  })

  test('for less than five minutes is not reported', async () => {
    const { reported, night, pass } = aFarm()
    for (let nights = 0; nights < 3; nights += 1) {
      night(true)
      await pass(299)
      night(false)
      await pass(60)
    }
    expect(reported).toEqual([])
  })

  test('and was reported, goes offline and comes back in the day, has recovered once', async () => {
    const { reported, offline, night, pass, wall } = aFarm()
    night(true)
    await pass(302)
    offline(wall())
    await pass(30)
    offline(undefined)
    night(false)
    await pass(30)
    expect(reported.map(([event]) => event)).toEqual(['farm.stuck', 'farm.away', 'farm.online', 'farm.stuck'])
  })
})

test('refused wrong keys are reported once a minute, whatever the edge sends', async () => {
  const farm = aNotifiedFarm()
  const { id } = await farm.listen('http://127.0.0.1:1/', { events: ['key.throttled'] })
  const write = { requestId: 'r', action: 'wrongKey', parameters: {} }
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
    await farm.records.of('edge').beganWrite({ ...write, address })
  await farm.eventuallyDeliveries(id, (all) => all.length === 1)
  await farm.pass(60)
  await farm.records.of('local').beganWrite({ ...write, address: '192.0.2.4' })
  await farm.eventuallyDeliveries(id, (all) => all.length === 2)
})

test('the end of the Steam sign-in is reported 14, 7, 3 and 1 days ahead, each once over all restarts of farmgate, and again after a new sign-in', async () => {
  const reported: unknown[] = []
  const clock = { at: 0, days: 30 as number | undefined }
  const kept: { days?: number | undefined; isOffline: boolean } = { isOffline: false }
  const start = () =>
    tokenEnd({
      daysRemaining: async () => clock.days,
      notify: (_event, data) => void reported.push(data),
      reported: {
        async read() {
          if (kept.isOffline) throw new Error('the records do not answer')
          return kept.days
        },
        keep: (days) => void Object.assign(kept, { days }),
      },
      monotonic: () => clock.at,
    })
  for (const days of [30, 14.5, 14, 13, undefined, 8, 7, 5, 3, 2.5, 1, 0.5, -1, 200, 6]) {
    clock.days = days
    const look = start()
    kept.isOffline = true
    await look()
    kept.isOffline = false
    await look()
    await look()
    await start()()
    clock.at += 3_600_000
  }
  expect(reported).toEqual([14, 7, 3, 1, 6].map((daysRemaining) => ({ daysRemaining })))
})
