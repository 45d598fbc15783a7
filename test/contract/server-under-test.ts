/** A running control API as the contract suites see it: only its addresses, its key and its game. */

import type { Rates } from '../../lib/rate-limit.ts'
import type { Provider } from '../../services/accounts/provider.ts'
import type { DiscordSettings } from '../../services/discord/signed-commands.ts'
import type { OwnRecords } from '../../services/records/own-records.ts'
import type { RightFarm } from '../../services/saves/watch-right-farm.ts'
import type { SavedFarm } from '../backups/saved-farm.ts'
import type { SteeredGame } from '../bridges/steered-game.ts'
import type { PlainDriver } from '../services/host/plain-driver.ts'

/**
 * Promises that a runtime is exempt from. Protocol pings and the limits for slow readers are not tested here: only Node
 * has them, and its own tests use a stopped clock.
 */
export type Exemption =
  /** No edge runs without keys: it is not_configured. */
  | 'no key'
  /** The platform sends no `Upgrade` header of ours. */
  | 'upgrade header'
  /** `/ready` at the root is about the instance, not about the farm. */
  | 'ready'

/** People can sign in. */
export interface SignInUnderTest {
  readonly publicUrl: string
  providers(records: OwnRecords): readonly Provider[]
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export interface StartOptions {
  /** Unless given, no one can sign in. */
  readonly signIn?: SignInUnderTest
  /** Null: no key is set. Omitted: the suite's own. */
  readonly key?: string | null
  readonly allowedOrigins?: readonly string[]
  /** Every omitted rate is off. */
  readonly rates?: Partial<Rates>
  /** Empty, or `/prefix`. */
  readonly basePath?: string
  readonly maxClients?: number
  readonly publicInviteCodes?: boolean
  readonly publicBadge?: boolean
  readonly refusalsAs200?: boolean
  /** Unless given, Discord is not set up. */
  readonly discord?: DiscordSettings
  /** Players log in with a password. */
  readonly hasPassword?: boolean
  /** Path of a `server-settings.json` on the farm's machine; none is mounted when omitted. */
  readonly settingsFile?: string
}

export interface SteeredFarm extends SteeredGame {
  /** The night's save begins: the game refuses writes until the next day. */
  save(): void | Promise<void>
  /** A farmhand gets another name while its player is connected. */
  rename(id: bigint, name: string): void | Promise<void>
  /** The game's chat as players see it, oldest first. */
  seen(): readonly string[]
  /** A player tries to join with a connection id as the game logs it: `SN_…`, `GN_…` or `L_…`. */
  knock(player: {
    readonly id: bigint
    readonly name: string
    readonly connectionId: string
  }): void | Promise<void>
}

export interface ServerUnderTest {
  /** With the base path, without a trailing slash. */
  readonly url: string
  /** `ws://…/ws` */
  readonly wsUrl: string
  /** Empty when none is set. */
  readonly key: string
  readonly farm: SteeredFarm
  /** Of the farm's own process. */
  readonly records: OwnRecords
  /** The volume of its saves, empty until a test saves, and the folder of its backups. */
  readonly saved: SavedFarm
  /** The farm that the game is expected to play; it looks when a test calls `tick`. */
  readonly rightFarm: RightFarm
  /** What runs its game: a host in memory. */
  readonly host: PlainDriver
  stop(): Promise<void>
}

/** Starts a server with its own farm, which changes only by the controls of the test. */
export type StartServer = (options?: StartOptions) => Promise<ServerUnderTest>

export interface RuntimeUnderTest {
  readonly start: StartServer
  /** The origin of a write in rows of the audit. */
  readonly origin: 'local' | 'edge'
  readonly exempt?: readonly Exemption[]
}

/** The key of the suites' servers. */
export const suiteKey = 'c29tZXRoaW5nIHRoYXQgaXMgMzIgYnl0ZXM='
