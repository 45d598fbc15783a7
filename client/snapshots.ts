import type { FarmEvent, Snapshots } from './messages.ts'

/** The snapshots of the followed topics as they are after an event. */
export function afterEvent(now: Partial<Snapshots>, event: FarmEvent): Partial<Snapshots> {
  const { players, status } = now
  switch (event.event) {
    case 'player_joined':
    case 'player_left': {
      if (players === undefined) return now
      const others = players.players.filter(({ id }) => id !== event.player.id)
      const left = event.event === 'player_left'
      return { ...now, players: { ...players, players: left ? others : [...others, event.player] } }
    }
    case 'player_changed': {
      if (players === undefined) return now
      const changed = players.players.map((player) => (player.id === event.player.id ? event.player : player))
      return { ...now, players: { ...players, players: changed } }
    }
    case 'status_changed':
      return { ...now, status: event.status }
    case 'day_started':
    case 'season_started':
    case 'ready_changed': {
      const { type: _type, topic: _topic, event: _event, eventSeq: _seq, timestamp: _at, ...changed } = event
      return status === undefined ? now : { ...now, status: { ...status, ...changed } }
    }
    case 'cabin_changed':
      return { ...now, cabins: event.cabins }
    default:
      return now
  }
}
