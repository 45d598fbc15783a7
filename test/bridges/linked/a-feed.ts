/** The farm's unsolicited frames, with a game whose status and health the test sets. */

import { statusFeed } from '../../../bridges/linked/farm-end/status-feed.ts'
import { readFarmFrame } from '../../../bridges/linked/protocol.ts'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { RecordsState } from '../../../handlers/records.ts'
import { manualClock } from '../manual-clock.ts'

const first: Status = { ...neverSeen, isOnline: true, day: 1, season: 'spring', year: 1, timeOfDay: 600 }

/** The game is healthy and ticks 60 times a second until the test sets its health. */
export function aFeed(start: Partial<GameHealth> = {}) {
  const clock = manualClock()
  const startedAt = clock.now()
  let change: Partial<GameHealth> = start
  let rate = 60
  const records: { state: RecordsState } = { state: 'ok' }
  const socket = { isSlow: false }
  const sent: string[] = []
  const send = (text: string) => void sent.push(text)
  const feed = statusFeed(
    {
      health: () => ({
        gameAvailable: true,
        isFrozen: false,
        tickCount: ((clock.now() - startedAt) / 1000) * rate,
        pendingActions: 3,
        snapshotAt: startedAt,
        ...change,
      }),
    },
    { state: () => records.state },
    first,
    {
      send,
      sendIfQuick(text) {
        if (!socket.isSlow) send(text)
        return !socket.isSlow
      },
    },
    clock.now,
  )
  let status = first
  return {
    feed,
    clock,
    socket,
    records,
    setHealth(health: Partial<GameHealth>) {
      change = health
    },
    setRate(ticksPerSecond: number) {
      rate = ticksPerSecond
    },
    /** The game's status changes. */
    change(what: Partial<Status>) {
      status = { ...status, ...what }
      feed.event({ type: 'status_changed', status })
    },
    /** Seconds pass, with a check in each. */
    pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000)
        feed.check()
      }
    },
    /** The frames since the last call. */
    taken: () =>
      sent.splice(0).map((text) => {
        const frame = readFarmFrame(text)?.frame
        if (frame?.type === 'event')
          return frame.event.type === 'status_changed' ? frame.event.status.timeOfDay : frame.event.type
        return frame?.type === 'health' ? frame.health : text
      }),
  }
}
