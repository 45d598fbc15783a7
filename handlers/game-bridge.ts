/**
 * The port: what handlers ask of a game. Three bridges implement it (simulated farm, upstream game
 * server, linked game); each passes the suite in `test/runtime/bridges/contract.ts`.
 *
 * Reads answer with the same object until the game changes, so that its encoding can be kept.
 * Writes happen at most once: a bridge never repeats one. One whose answer is lost ends as `timeout`, whatever
 * cut it off, for it may have been made; only one that surely never left ends as `unavailable`.
 * Every rejection is a `GameError`.
 * What each ability takes and answers, and in what time, stands in `game-abilities.ts`.
 */
import type { GameEvent } from './game-event.ts'
import type {
  Cabins,
  Farmhands,
  NewGame,
  PasswordProtection,
  Players,
  Screenshot,
  Settings,
  Stats,
  Status,
} from './game-records.ts'

/** Milliseconds for which a game must not be heard before it counts as away, on every bridge. */
export const awayAfter = 10_000

/** What this process knows of the game without asking it. */
export interface GameHealth {
  /** The game answers. */
  readonly gameAvailable: boolean
  /**
   * Milliseconds since 1970 of when the game was last heard, or of this bridge's start when it never was.
   * Present only while the game is away: not heard for `awayAfter`, never heard, or the link to it is down.
   */
  readonly awaySince?: number
  /** It answers, but its own loop stands still. */
  readonly isFrozen: boolean
  /** Milliseconds since the game's last tick, when one was seen. */
  readonly lastTickMs?: number
  readonly tickCount: number
  /** Calls under way at the game. */
  readonly pendingActions: number
  /** When the newest snapshot was taken, milliseconds since 1970. */
  readonly snapshotAt?: number
}

/** A player or farmhand, and what to call it in a sentence: `'Abby'` or `id=123`. */
export interface Target {
  readonly id: bigint
  readonly label: string
}

export interface ChatLine {
  readonly author: string
  readonly message: string
}

export interface GameBridge {
  /** Synchronous and free: never asks the game. */
  health(): GameHealth
  /** Never rejects: while the game is away, the `awayStatus` of its last one. `lastUpdated` moves on its own. */
  status(): Promise<Status>
  players(): Promise<Players>
  /** Undefined while there is none. */
  inviteCode(): Promise<string | undefined>
  farmhands(): Promise<Farmhands>
  /** @throws {GameError} farmhand_not_found, farmhand_online, save_in_progress, not_ready */
  deleteFarmhand(farmhand: Target): Promise<void>
  /**
   * The farmhand then belongs to that account (decimal identity, as in the connect log).
   * @throws {GameError} farmhand_not_found, farmhand_online, save_in_progress, not_ready
   */
  rebindFarmhand(farmhand: Target, identity: string): Promise<void>
  settings(): Promise<Settings>
  cabins(): Promise<Cabins>
  /** Frames per second; 0 is off. */
  rendering(): Promise<number>
  /** Answers the rate before the change. */
  setRendering(fps: number): Promise<number>
  /** In-game time as HHMM, 600 to 2600. */
  setTime(timeOfDay: number): Promise<void>
  /** Answers the player's name. @throws {GameError} player_not_found, not_ready */
  grantAdmin(player: Target): Promise<string>
  /** Shown in the game as `(Web) author: message`. */
  sendChat(line: ChatLine): Promise<void>
  stats(): Promise<Stats>
  screenshot(): Promise<Screenshot>
  /** Answers the real milliseconds that a game minute then takes. */
  setClockSpeed(multiplier: number): Promise<number>
  passwordProtection(): Promise<PasswordProtection>
  /** Seconds, 0 for none; answers the seconds before the change. */
  setLoginTimeout(seconds: number): Promise<number>
  /** Answers the game's own words. @throws {GameError} players_connected */
  newGame(options: NewGame): Promise<string>
  /** Answers the game's own words. @throws {GameError} players_connected */
  reload(): Promise<string>
  /** The game's own diagnostic record, passed on as it is. @param query pairs of name and value */
  diagnostics(query: [name: string, value: string][]): Promise<Readonly<Record<string, unknown>>>
  /** Hears every event from now on, in order; answers how to stop. */
  subscribe(listener: (event: GameEvent) => void): () => void
  /** Lets go of sockets and timers; reads under way end as `unavailable`, writes as `timeout`: made or not. */
  close(): Promise<void>
}
