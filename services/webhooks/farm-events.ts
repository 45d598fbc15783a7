/** The game's events for webhooks: joins and leaves, chat, days, and outages. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Notify } from './make-deliveries.ts'

/** Milliseconds of one night after which the farm is stuck. */
const stuckAfter = 5 * 60_000

/** Survives a restart: when the night began for which `farm.stuck` was sent, in milliseconds since 1970. */
interface KeptNight {
  readonly read: () => Promise<number | undefined>
  readonly keep: (since: number | undefined) => void
}

export interface FarmEventsParts extends Pick<Clock, 'now' | 'monotonic'> {
  readonly game: Pick<GameBridge, 'health' | 'status' | 'subscribe'>
  readonly notify: Notify
  /** Whether chat lines may be written to the disk, which stores every delivery before it is sent. */
  readonly keepsChat: boolean
  readonly stuckSince: KeptNight
}

export function farmEvents({ game, notify, keepsChat, stuckSince, now, monotonic }: FarmEventsParts) {
  let isOffline = false
  let isRead = false
  let night: { readonly began: number; readonly since: number; isReported: boolean } | undefined
  const onEvent = (event: GameEvent) => {
    if (event.type === 'player_joined' || event.type === 'player.unlisted') {
      const { id: playerId, name, connection } = event.player
      notify(event.type === 'player_joined' ? 'player.joined' : event.type, {
        playerId,
        name,
        ...(connection && { joinPath: connection.joinPath }),
      })
    } else if (event.type === 'player_left') {
      notify('player.left', { playerId: event.player.id, name: event.player.name })
    } else if (event.type === 'day_started') {
      notify('day.started', { day: event.day, season: event.season, year: event.year })
    } else if (event.type === 'chat' && keepsChat) {
      const { playerName, message, timestamp } = event
      notify('chat.message', { playerName, message, timestamp })
    }
  }
  const readNight = async (): Promise<boolean> => {
    try {
      const since = await stuckSince.read()
      if (since !== undefined) night = { began: monotonic(), since, isReported: true }
      return true
    } catch {
      return false
    }
  }
  const nightGoesOn = () => {
    night ??= { began: monotonic(), since: now(), isReported: false }
    if (night.isReported || monotonic() - night.began < stuckAfter) return
    night.isReported = true
    notify('farm.stuck', { state: 'stuck', since: isoTime(night.since) })
    stuckSince.keep(night.since)
  }
  const nightIsOver = () => {
    if (night?.isReported === true) {
      notify('farm.stuck', { state: 'recovered', since: isoTime(night.since) })
      stuckSince.keep(undefined)
    }
    night = undefined
  }
  const unsubscribe = game.subscribe(onEvent)
  return {
    /** Call this every second. */
    async tick() {
      isRead ||= await readNight()
      // While the records do not answer no event could be written either, so it is tried again a second later.
      if (!isRead) return
      const { awaySince } = game.health()
      if (awaySince !== undefined) {
        if (!isOffline) notify('farm.away', { since: isoTime(awaySince) })
        isOffline = true
        // A night while the game is offline is not reported as stuck; a reported one is over when the game says so.
        if (night?.isReported === false) night = undefined
        return
      }
      const { status, moment } = await presentMoment(game)
      if (!status.isOnline) return
      if (isOffline) notify('farm.online', {})
      isOffline = false
      if (moment === 'night') nightGoesOn()
      else if (moment === 'day') nightIsOver()
    },
    close: unsubscribe,
  }
}
