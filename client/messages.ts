/** The messages of a live connection, as plain types (docs/bot.md). */
import type { Cabins, HostLogLine, Player, Players, Season, Status, UnexpectedFarm } from './types.ts'

export type Topic = 'players' | 'status' | 'cabins'

/** A line that a player wrote in the game. The game server keeps lines that begin with `!`: they never arrive. */
export interface ChatLine {
  type: 'chat'
  playerName: string
  message: string
  /** ISO 8601, UTC. */
  timestamp: string
  /** One more than that of the line before. */
  seq: number
}

/** Missing chat lines: those from `from` to `to`, both included; `from` is null when it is unknown. */
export interface Gap {
  from: number | null
  to: number
}

/** Lines of a time may be missing: farmgate, or its connection to the game's chat, was down. */
export interface Missed {
  type: 'missed'
  /** ISO 8601, UTC; as `to`. */
  from: string
  to: string
}

/** A line of the game's log, or how many lines are missing at this place. */
export type LogEvent = HostLogLine | { missing: number }

interface EventOf<T extends Topic, E extends string> {
  type: 'event'
  topic: T
  event: E
  /** One more than that of the previous event, of any topic; restarts when the server starts. */
  eventSeq: number
  timestamp: string
}

/** An event of the farm. */
export type FarmEvent =
  | (EventOf<'players', 'player_joined'> & { player: Player })
  | (EventOf<'players', 'player_left'> & { player: Player })
  /** A connected player has another name, or another member has changed. */
  | (EventOf<'players', 'player_changed'> & { player: Player })
  /** A player has joined who is not on the allowlist. */
  | (EventOf<'players', 'player.unlisted'> & { player: Player })
  | (EventOf<'status', 'status_changed'> & { status: Status })
  /** The game does not play the farm that it is expected to play. */
  | (EventOf<'status', 'game.wrong_farm'> & UnexpectedFarm)
  | (EventOf<'status', 'day_started'> & { day: number; season: Season; year: number })
  | (EventOf<'status', 'season_started'> & { season: Season; year: number })
  | (EventOf<'status', 'ready_changed'> & { isReady: boolean })
  | (EventOf<'status', 'rendering_changed'> & { fps: number })
  | (EventOf<'cabins', 'cabin_changed'> & { cabins: Cabins })

/** The answer of `GET` on each topic. */
export interface Snapshots {
  players: Players
  status: Status
  cabins: Cabins
}

/**
 * - `connecting`: not connected yet, or again after a drop
 * - `live`: connected, and the game is online
 * - `away`: connected, but the game is offline
 * - `refused`: the key is not accepted, or the address is not that of a farm; the connection is not tried again
 * - `closed`: by `close()` or the signal; or because nothing uses it, until something does
 */
export type LiveState = 'connecting' | 'live' | 'away' | 'refused' | 'closed'
