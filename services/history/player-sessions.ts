/**
 * Who is on the farm, as sessions in the records. A session is interrupted, not ended, when the game or farmgate
 * stops: it continues when the same player is back within two minutes; otherwise it ended when the interruption began.
 */
import type { Player } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import type { BegunSession, OpenSession, SessionEnd, SessionProgress } from '../records/sessions-table.ts'

/** Milliseconds after which an interrupted session has ended. */
const maxInterruption = 120_000

export interface SessionCalls {
  sessionBegan(session: BegunSession): void
  sessionSeen(progress: SessionProgress): void
  sessionEnded(progress: SessionProgress, ended: SessionEnd): void
}

export interface SessionParts extends Pick<Clock, 'now'> {
  readonly calls: SessionCalls
  /** Sessions that had not ended when farmgate stopped. */
  readonly open: readonly OpenSession[]
  readonly nextId: () => number
  /** Milliseconds, never running backwards; it measures how long a player was on the farm. */
  readonly monotonic: () => number
}

interface Session {
  readonly id: number
  readonly playerId: bigint
  readonly joinedAt: number
  name: string
  seenAt: number
  /** Milliseconds played until `countedAt`. */
  played: number
  /** Of the monotonic clock. */
  countedAt: number
  interrupted?: { readonly ended: SessionEnd; readonly deadline: number }
}

export type PlayerSessions = ReturnType<typeof playerSessions>

export function playerSessions({ calls, open, nextId, now, monotonic }: SessionParts) {
  const sessions = new Map<bigint, Session>()
  for (const session of open) {
    // A clock that was set back must not keep a session open for longer.
    const since = Math.min(Math.max(now() - session.seenAt, 0), maxInterruption)
    const deadline = monotonic() + maxInterruption - since
    const twin = sessions.get(session.playerId)
    if (twin !== undefined) calls.sessionEnded(twin, 'unknown')
    sessions.set(session.playerId, {
      ...session,
      countedAt: monotonic(),
      interrupted: { ended: 'unknown', deadline },
    })
  }
  /** Counts the time since the session was last counted. @param at until when, milliseconds since 1970 */
  const count = (session: Session, at: number) => {
    session.played += Math.max(0, monotonic() - session.countedAt - Math.max(0, now() - at))
    session.countedAt = monotonic()
    session.seenAt = Math.max(session.seenAt, at)
  }
  const progressOf = ({ id, playerId, name, seenAt, played }: Session): SessionProgress => ({
    id,
    playerId,
    name,
    seenAt,
    played: Math.round(played),
  })
  const end = (session: Session, ended: SessionEnd) => {
    sessions.delete(session.playerId)
    calls.sessionEnded(progressOf(session), ended)
  }
  const begin = ({ id: playerId, name, connection }: Player) => {
    const at = now()
    const session = { id: nextId(), playerId, name, joinedAt: at, seenAt: at, played: 0 }
    sessions.set(playerId, { ...session, countedAt: monotonic() })
    calls.sessionBegan({ ...session, ...(connection && { joinPath: connection.joinPath }) })
  }
  /**
   * The player is not on the farm. An interrupted session waits: after a restart of the game its players join one by
   * one.
   */
  const leave = (session: Session) => {
    if (session.interrupted !== undefined) return
    count(session, now())
    end(session, 'left')
  }
  const checkInterrupted = () => {
    for (const session of [...sessions.values()])
      if (session.interrupted !== undefined && monotonic() >= session.interrupted.deadline)
        end(session, session.interrupted.ended)
  }
  /** The player is on the farm: begins a session, or continues the current one. */
  const join = (player: Player) => {
    const session = sessions.get(player.id)
    if (session === undefined) {
      begin(player)
      return
    }
    const isRenamed = session.name !== player.name
    session.name = player.name
    if (session.interrupted !== undefined) {
      delete session.interrupted
      session.countedAt = monotonic()
      session.seenAt = Math.max(session.seenAt, now())
    } else if (!isRenamed) return
    calls.sessionSeen(progressOf(session))
  }

  return {
    /** The players of the sessions that are not interrupted. */
    present: (): readonly Pick<Player, 'id' | 'name'>[] =>
      [...sessions.values()]
        .filter(({ interrupted }) => interrupted === undefined)
        .map(({ playerId, name }) => ({ id: playerId, name })),
    joined: join,
    left({ id }: Pick<Player, 'id'>) {
      const session = sessions.get(id)
      if (session !== undefined) leave(session)
    },
    /** The game answered that exactly these players are on the farm. */
    here(players: readonly Player[]) {
      checkInterrupted()
      const online = players.filter(({ isOnline }) => isOnline)
      const ids = new Set(online.map(({ id }) => id))
      for (const session of [...sessions.values()]) if (!ids.has(session.playerId)) leave(session)
      for (const player of online) join(player)
    },
    /** The game is offline. @param since milliseconds since 1970 */
    away(since: number) {
      for (const session of sessions.values()) {
        if (session.interrupted !== undefined) continue
        count(session, Math.max(since, session.seenAt))
        const passed = Math.min(Math.max(now() - since, 0), maxInterruption)
        session.interrupted = { ended: 'away', deadline: monotonic() + maxInterruption - passed }
        calls.sessionSeen(progressOf(session))
      }
    },
    /** Ends sessions that were interrupted too long; call this every second. */
    check: checkInterrupted,
    /** Records that the players are still on the farm; call this every minute and at the end. */
    seen() {
      for (const session of sessions.values()) {
        if (session.interrupted !== undefined) continue
        count(session, now())
        calls.sessionSeen(progressOf(session))
      }
    },
  }
}
