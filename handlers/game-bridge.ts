/**
 * The port: what handlers call of a game. Three bridges implement it (simulated farm, upstream game server, linked
 * game); each passes the suite in `test/bridges/contract.ts`.
 *
 * A read returns the same object until the game changes, so that its JSON text can be cached by identity. A write is
 * sent at most once; a bridge never repeats it. When its answer is lost, for any reason, it fails with `timeout`,
 * because the change may have been made; it fails with `unavailable` only when it was certainly not sent. Every
 * rejection is a `FarmError`. `game-abilities.ts` lists the time budget of every ability, and arguments and results of
 * reads.
 */
import type { KnownCause } from './cause.ts'
import type { GameEvent } from './game-event.ts'
import type {
  Cabins,
  Connections,
  Farmhands,
  NewGame,
  PasswordProtection,
  Players,
  Screenshot,
  Settings,
  Stats,
  Status,
} from './game-records.ts'
import type { SettingsChange, SettingsPatch } from './settings-change.ts'

/** Milliseconds without an answer after which the game is offline, on every bridge. */
export const offlineAfter = 10_000

/** The same when its connections are refused or reset, counted from the first of them. */
export const brokenAfter = 3_000

/** Milliseconds. JunimoServer takes a snapshot a second, and none while a day turns. */
export const staleAfter = 2_000

/** The game's health as this process knows it without a call to the game. */
export interface GameHealth {
  /** The game answers, with or without a farm. */
  readonly gameAvailable: boolean
  /** The game answers, but has no farm loaded; missing otherwise. */
  readonly isWithoutFarm?: true
  /**
   * When the game last answered, or when this bridge started if it never did; milliseconds since 1970. Present only
   * while the game is offline: no answer for `offlineAfter`, or for `brokenAfter` with its connections refused or
   * reset; never any answer; or the link is down.
   */
  readonly awaySince?: number
  /**
   * When the game reset or refused the connection of its chat, milliseconds since 1970. Present only until the chat is
   * open again: lines of the game are lost meanwhile.
   */
  readonly chatLostAt?: number
  /**
   * Since when the connection to the game's chat is open, milliseconds since 1970; missing while it is not, and at the
   * edge.
   */
  readonly chatOpenSince?: number
  /** The game answers, but its main loop does not run. */
  readonly isFrozen: boolean
  /** Milliseconds since the game's last tick, when one was seen. */
  readonly lastTickMs?: number
  readonly tickCount: number
  /** Calls without an answer yet. */
  readonly pendingActions: number
  /** When the newest snapshot was taken, milliseconds since 1970. */
  readonly snapshotAt?: number
  /**
   * The game answers, and its newest snapshot is more than `staleAfter` old: a day turns, which its status does not show,
   * or its main loop stands still. Left out otherwise, and for a game whose status shows its nights.
   */
  readonly isStale?: true
  /** What a newer game server reports of its connections to Steam and GOG Galaxy; only while it answers. */
  readonly connections?: Connections
  /** Why the farm cannot be played as it should be, as far as this process knows it. */
  readonly cause?: KnownCause
}

/** A player or farmhand, and how messages name it: `'Abby'` or `id=123`. */
export interface Target {
  readonly id: bigint
  readonly label: string
}

export interface ChatLine {
  readonly author: string
  readonly message: string
}

/** The part of the port that the edge also implements. It forwards writes to the farm. */
export interface GameReads {
  /** Synchronous; never makes a call to the game. */
  health(): GameHealth
  /**
   * Never rejects: while the game is offline it resolves to the `offlineStatus` of its last status. A change of
   * `lastUpdated` alone makes no event.
   * @param freshness `now`: the game is asked again, although its last answer is less than a second old
   */
  status(freshness?: 'now'): Promise<Status>
  /**
   * While the game does not answer and is not offline yet, the last answer.
   * @param freshness `now`: always a new answer of the game, or the failure
   */
  players(freshness?: 'now'): Promise<Players>
  /** @returns undefined while the game has no invite code */
  inviteCode(): Promise<string | undefined>
  farmhands(): Promise<Farmhands>
  settings(): Promise<Settings>
  cabins(): Promise<Cabins>
  /** Frames per second; 0 is off. */
  rendering(): Promise<number>
  stats(): Promise<Stats>
  screenshot(): Promise<Screenshot>
  passwordProtection(): Promise<PasswordProtection>
  /** The game's own diagnostic record, unchanged. @param query pairs of name and value */
  diagnostics(query: [name: string, value: string][]): Promise<Readonly<Record<string, unknown>>>
  /** Calls the listener with every event from now on, in order. @returns a function that ends the subscription */
  subscribe(listener: (event: GameEvent) => void): () => void
  /** Closes sockets and timers. Pending reads fail with `unavailable`, writes with `timeout` (outcome unknown). */
  close(): Promise<void>
}

export interface GameBridge extends GameReads {
  /** @throws {FarmError} farmhand_not_found, farmhand_online, save_in_progress, not_ready */
  deleteFarmhand(farmhand: Target): Promise<void>
  /**
   * Gives the farmhand to another account.
   * @param identity the Steam or GOG Galaxy account id, decimal, as in the game server's log
   * @throws {FarmError} farmhand_not_found, farmhand_online, save_in_progress, not_ready
   */
  rebindFarmhand(farmhand: Target, identity: string): Promise<void>
  /**
   * Changes members of `server-settings.json`, where the machine of the farm's farmgate has that file.
   * @throws {FarmError} settings_changed, settings_file, unsupported
   */
  changeSettings(patch: SettingsPatch): Promise<SettingsChange>
  /** @returns the frames per second before the change */
  setRendering(fps: number): Promise<number>
  /** In-game time as HHMM, 600 to 2600. */
  setTime(timeOfDay: number): Promise<void>
  /** @returns the player's name @throws {FarmError} player_not_found, not_ready */
  grantAdmin(player: Target): Promise<string>
  /** The game shows it as `(Web) author: message`. */
  sendChat(line: ChatLine): Promise<void>
  /** A line that the game shows to all players as the server's own. @throws {FarmError} unsupported */
  announce(message: string): Promise<void>
  /** @returns the real milliseconds that a game minute takes from now on */
  setClockSpeed(multiplier: number): Promise<number>
  /** @param seconds 0 for no timeout @returns the seconds before the change */
  setLoginTimeout(seconds: number): Promise<number>
  /** @returns the game's own message @throws {FarmError} players_connected */
  newGame(options: NewGame): Promise<string>
  /** @returns the game's own message @throws {FarmError} players_connected */
  reload(): Promise<string>
}
