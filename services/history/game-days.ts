/** The game's days in the records: when each began and ended, and who was on the farm. */
import type { Player, Status } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import type { BegunDay, DayPlayer, GameDay } from '../records/days-table.ts'

export interface DayCalls {
  dayBegan(day: BegunDay): void
  dayEnded(beganAt: number, endedAt: number): void
  dayPlayers(beganAt: number, players: readonly DayPlayer[]): void
}

export interface DayParts extends Pick<Clock, 'now'> {
  readonly calls: DayCalls
  /** The newest day of the records, unless it has ended. */
  readonly open: (BegunDay & { readonly players: readonly DayPlayer[] }) | undefined
}

type Present = readonly Pick<Player, 'id' | 'name'>[]

export type GameDays = ReturnType<typeof gameDays>

export function gameDays({ calls, open, now }: DayParts) {
  let current: BegunDay | undefined = open
  let players = new Map(open?.players.map(({ playerId, name }) => [playerId, name]))
  const isCurrent = ({ day, season, year }: GameDay) =>
    current?.day === day && current.season === season && current.year === year
  const begin = ({ day, season, year }: GameDay) => {
    // This time identifies a day, also when the clock was set back.
    current = { beganAt: Math.max(now(), (current?.beganAt ?? 0) + 1), day, season, year }
    players = new Map()
    calls.dayBegan(current)
  }
  return {
    /** The game began a day just now, so the previous one ended. */
    began(day: GameDay) {
      if (isCurrent(day)) return
      if (current !== undefined) calls.dayEnded(current.beganAt, Math.max(now(), current.beganAt))
      begin(day)
    },
    /**
     * It is this day. A day whose beginning farmgate did not see counts from now on; the end of the previous one is
     * unknown.
     */
    seen(status: Pick<Status, 'day' | 'season' | 'year'>) {
      if (status.day > 0 && !isCurrent(status)) begin(status)
    },
    /** Adds players to the current day. */
    there(present: Present) {
      if (current === undefined) return
      const isKnown = present.every(({ id, name }) => players.get(id) === name)
      if (isKnown) return
      for (const { id, name } of present) players.set(id, name)
      calls.dayPlayers(
        current.beganAt,
        [...players].map(([playerId, name]) => ({ playerId, name })),
      )
    },
  }
}
