/** Events of a game, as bridges emit them and `/ws` sends them to clients. */
import { stringifyJson } from '../lib/json.ts'
import type { ChatOutage } from './chat-outage.ts'
import type { UnexpectedFarm } from './expected-farm.ts'
import type { Cabins, Player, Players, Season, Status } from './game-records.ts'
import type { LogLine } from './host-record.ts'

export type GameEvent =
  | {
      readonly type: 'chat'
      readonly playerName: string
      readonly message: string
      readonly timestamp: string
    }
  | { readonly type: 'player_joined'; readonly player: Player }
  | { readonly type: 'player_left'; readonly player: Player }
  /** A connected player has another name, or another member has changed. */
  | { readonly type: 'player_changed'; readonly player: Player }
  /** A player has joined who is not on the allowlist; comes after `player_joined`. */
  | { readonly type: 'player.unlisted'; readonly player: Player }
  | { readonly type: 'status_changed'; readonly status: Status }
  | ({ readonly type: 'game.wrong_farm' } & UnexpectedFarm)
  | { readonly type: 'day_started'; readonly day: number; readonly season: Season; readonly year: number }
  | { readonly type: 'season_started'; readonly season: Season; readonly year: number }
  | { readonly type: 'ready_changed'; readonly isReady: boolean }
  | { readonly type: 'rendering_changed'; readonly fps: number }
  | { readonly type: 'cabin_changed'; readonly cabins: Cabins }

export type ChatEvent = Extract<GameEvent, { type: 'chat' }>
export type LiveEvent = Exclude<GameEvent, ChatEvent>

/** A numbered chat line. */
export interface NumberedLine {
  readonly seq: number
  /** The `chat` message as it is sent. */
  readonly text: string
}

/** No chat line has the numbers `from` to `to`, both included; greater ones follow. */
export interface Gap {
  readonly type: 'gap'
  readonly from: number
  readonly to: number
}

/** Lines may be missing, because farmgate or its connection to the game's chat was down. */
export type MissedTime = { readonly type: 'missed' } & ChatOutage

/** A line of the game's log, or how many lines were left out because the game printed too many. */
export type LogEvent =
  | ({ readonly type: 'log' } & LogLine)
  | { readonly type: 'log_gap'; readonly lines: number }

/**
 * What a farm's clients get: events, of which a chat line has its number, the gaps between chat lines, the times of
 * which lines may be missing, and the game's log.
 */
export type RoomEvent = LiveEvent | (ChatEvent & NumberedLine) | Gap | MissedTime | LogEvent

export const isLogEvent = (event: RoomEvent): event is LogEvent =>
  event.type === 'log' || event.type === 'log_gap'

/** Whether the game itself has made it. */
export const isGameEvent = (event: RoomEvent): event is Exclude<RoomEvent, Gap | MissedTime | LogEvent> =>
  event.type !== 'gap' && event.type !== 'missed' && !isLogEvent(event)

/**
 * One `player_left`, `player_changed` or `player_joined` for each difference of two snapshots of the players, in this
 * order.
 */
export function playerEvents(before: Players, after: Players): readonly LiveEvent[] {
  const known = new Map(before.players.map((player) => [player.id, player]))
  const present = new Set(after.players.map(({ id }) => id))
  return [
    ...before.players
      .filter(({ id }) => !present.has(id))
      .map((player): LiveEvent => ({ type: 'player_left', player: { ...player, isOnline: false } })),
    ...after.players
      .filter((player) => {
        const was = known.get(player.id)
        return was !== undefined && !isSamePlayer(was, player)
      })
      .map((player): LiveEvent => ({ type: 'player_changed', player })),
    ...after.players
      .filter(({ id }) => !known.has(id))
      .map((player): LiveEvent => ({ type: 'player_joined', player })),
  ]
}

const isSamePlayer = (a: Player, b: Player): boolean =>
  a.name === b.name &&
  a.isOnline === b.isOnline &&
  a.connection?.joinPath === b.connection?.joinPath &&
  a.connection?.identity === b.connection?.identity

/** Members whose change alone makes no event. */
const bookkeeping: ReadonlySet<string> = new Set(['lastUpdated', 'version', 'tps'])

/** Members that change with the time of day alone. */
const clock: ReadonlySet<string> = new Set([...bookkeeping, 'timeOfDay'])

/** Whether two snapshots of the status differ in more than the time of day and members of `bookkeeping`. */
export const changedBeyondClock = (before: Status, after: Status): boolean =>
  membersOf(before, after).some((member) => !clock.has(member) && before[member] !== after[member])

const membersOf = (before: Status, after: Status) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Status)[]

/** The events that a change of the status makes; none when only members of `bookkeeping` changed. */
export function statusEvents(before: Status, after: Status): readonly LiveEvent[] {
  if (
    !membersOf(before, after).some((member) => !bookkeeping.has(member) && before[member] !== after[member])
  )
    return []
  const events: LiveEvent[] = [{ type: 'status_changed', status: after }]
  const { day, season, year, isReady } = after
  const dated = before.day > 0 && day > 0
  if (dated && (before.season !== season || before.year !== year))
    events.push({ type: 'season_started', season, year })
  if (dated && (before.day !== day || before.season !== season || before.year !== year))
    events.push({ type: 'day_started', day, season, year })
  if (before.isReady !== isReady) events.push({ type: 'ready_changed', isReady })
  return events
}

/** The members whose change makes an event, as one text. */
const cabinsText = ({ strategy, cabins, migration, stackSpot, mainFarmHouseEntry }: Cabins) =>
  stringifyJson([strategy, cabins, migration, stackSpot, mainFarmHouseEntry])

/** One `cabin_changed` when any cabin, its owner, the cabin strategy, a migration or the shared spot changed. */
export const cabinEvents = (before: Cabins, after: Cabins): readonly LiveEvent[] =>
  cabinsText(before) === cabinsText(after) ? [] : [{ type: 'cabin_changed', cabins: after }]
