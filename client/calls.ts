/** Every call of the HTTP API: its name is the operation id in `/docs`, without a leading `get`. */
import type { DiscordCode, DiscordRole, DiscordServers } from './discord.ts'
import type {
  Cabins,
  Deleted,
  Done,
  Farmhands,
  Health,
  NewGame,
  PasswordProtection,
  Players,
  Screenshot,
  Settings,
  SettingsChange,
  SettingsWish,
  Stats,
  Status,
} from './game-records.ts'
import type {
  AuditPage,
  Backups,
  HistoryChat,
  HistoryDays,
  HistoryPlayers,
  HistorySamples,
  HistorySessions,
  Key,
  MadeBackup,
  NewKey,
  OwnKey,
  RestoredBackup,
  Scope,
} from './records.ts'
import type { NewWebhook, Webhook, WebhookDeliveries, WebhookEvent, WebhookFormat } from './webhooks.ts'

export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. A change that was sent may still be made. */
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, repeats included. */
  timeout?: number | undefined
}

/** A call without parameters. */
type None = Record<string, never>

/** Exactly one of both. */
export interface Person {
  /** In any case. */
  name?: string | undefined
  playerId?: bigint | undefined
}

export interface Wait {
  /** Only a record whose `version` is above this one. */
  since?: number | undefined
  /** Milliseconds to wait, at most 10,000; then the call throws `wait_timeout`. */
  timeout?: number | undefined
}

/** `before` is `next` of the page before; `limit` is 100 unless given, and at most 500. */
export interface Page {
  before?: string | undefined
  limit?: number | undefined
}

type Call<Parameters, Answer> = (parameters: Parameters, options?: CallOptions) => Promise<Answer>
type CallWithout<Answer> = (parameters?: None, options?: CallOptions) => Promise<Answer>
type CallWithOptional<Parameters, Answer> = (
  parameters?: Parameters,
  options?: CallOptions,
) => Promise<Answer>

/** @throws {FarmgateError} each of them, with the `code` of the answer */
export interface Calls {
  /** Whether farmgate serves, and what it knows of the game. */
  health: CallWithout<Health>
  /** Throws `game_unavailable` while the game cannot be reached. */
  ready: CallWithout<{ ready: true }>
  /** The farm at a glance. While the game is away it throws `game_unavailable`; `body` then has the last values. */
  status: CallWithout<Status>
  /** Who is connected, without the host. */
  players: CallWithout<Players>
  /** The code that players type to join; `error` while there is none. */
  inviteCode: CallWithout<{ inviteCode: string } | { error: string }>
  /** Every farmhand slot: connected, offline and unclaimed. */
  farmhands: CallWithout<Farmhands>
  /** Deletes an offline farmhand and frees its cabin; saved when the day ends. */
  deleteFarmhand: Call<Person, Done>
  /** Gives a farmhand to the account of another join path. */
  rebindFarmhand: Call<{ playerId: bigint; identity: string }, Done>
  settings: CallWithout<Settings>
  /**
   * Changes members of server-settings.json; what is left out stays as it is.
   * @example await farm.changeSettings({ server: { maxPlayers: 8 } })
   */
  changeSettings: Call<SettingsWish, SettingsChange>
  cabins: CallWithout<Cabins>
  /** The host's own display rate, frames per second; 0 is off. */
  rendering: CallWithout<{ fps: number }>
  setRendering: Call<{ fps: number }, { success: true; fps: number; previousFps: number; message: string }>
  /** @example await farm.setTime({ value: 1200 }) // noon */
  setTime: Call<{ value: number }, { success: true; timeOfDay: number; message: string }>
  grantAdmin: Call<Person, { success: true; playerId: bigint; playerName: string; message: string }>
  /** Says a line to everybody as the server, or as chat of `Server` where the game cannot. */
  announce: Call<{ message: string }, Done>
  stats: CallWithout<Stats>
  screenshot: CallWithout<Screenshot>
  setClockSpeed: Call<{ multiplier: number }, { success: true; multiplier: number; effectiveMs: number }>
  /** Whether players log in with a password, and how many did. */
  passwordProtection: CallWithout<PasswordProtection>
  /** Seconds that a player may take to log in; 0 switches the limit off. */
  setLoginTimeout: Call<
    { value: number },
    { success: true; timeoutSeconds: number; previousTimeoutSeconds: number }
  >
  /** Replaces the world by a new one while nobody is connected. */
  createNewGame: CallWithOptional<NewGame, Done>
  /** Reads the settings file anew and reloads the save while nobody is connected. */
  reloadWorld: CallWithout<Done>
  /** The game's own record of its inner state. */
  diagnosticsState: CallWithOptional<
    {
      masterFlag?: string | undefined
      masterEvent?: string | undefined
      masterFriendKey?: string | undefined
    },
    Record<string, unknown>
  >
  /** Every write, newest first; `next` of a page is the `before` of the next one. */
  audit: CallWithOptional<Page & { action?: string | undefined; key?: string | undefined }, AuditPage>
  /** The named keys that are not revoked, without the keys themselves. */
  keys: CallWithout<{ keys: Key[] }>
  /** What the own key allows: which calls can succeed. */
  ownKey: CallWithout<OwnKey>
  /** Makes a named key; this answer is the only one that shows it. */
  createKey: Call<{ name: string; scopes: Scope[]; expiresInDays?: number | undefined }, NewKey>
  /** Revokes a named key at once; sockets that use it are closed. */
  revokeKey: Call<{ id: string }, Deleted>
  /** Who played when; newest first. Times are in ISO 8601. */
  historySessions: CallWithOptional<
    Page & { from?: string | undefined; to?: string | undefined; playerId?: bigint | undefined },
    HistorySessions
  >
  /** Everybody who played, last seen first; at most 1,000. */
  historyPlayers: CallWithout<HistoryPlayers>
  /** How the game ran; of the last day unless `from` and `to` are given. */
  historySamples: CallWithOptional<
    { from?: string | undefined; to?: string | undefined; step?: number | undefined },
    HistorySamples
  >
  /** The game's days; newest first. */
  historyDays: CallWithOptional<Page, HistoryDays>
  /** The game's chat; newest first. */
  historyChat: CallWithOptional<Page, HistoryChat>
  /** The backups of the farm's save; newest first. */
  backups: CallWithout<Backups>
  /** Makes a backup now; throws `save_in_progress` while the game writes its save. */
  makeBackup: CallWithout<MadeBackup>
  /**
   * Puts a backup in the place of the farm's save while nobody is connected; with `dryRun` nothing is changed, and the
   * message says what would be lost. Throws `restore_undone` when the game does not play it afterwards; the save from
   * before is then in its place again.
   */
  restoreBackup: Call<{ id: string; dryRun?: boolean | undefined }, RestoredBackup>
  deleteBackup: Call<{ id: string }, Done>
  /** The webhooks, without their URLs and secrets. */
  webhooks: CallWithout<{ webhooks: Webhook[] }>
  /** Makes a webhook; this answer is the only one that shows the secret it signs with. */
  createWebhook: Call<
    { name: string; url: string; events: WebhookEvent[]; format: WebhookFormat },
    NewWebhook
  >
  deleteWebhook: Call<{ id: string }, Deleted>
  /** Sends a test at once; its delivery tells how that ended. */
  testWebhook: Call<{ id: string }, { success: true; message: string; deliveryId: string }>
  /** What was and will be sent to a webhook; newest first. */
  webhookDeliveries: Call<Page & { id: string }, WebhookDeliveries>
  /** Sends a delivery once more, with the same `webhook-id`; one that waits is tried now. */
  replayDelivery: Call<{ deliveryId: string }, Done>
  /** Makes a code that binds one Discord server to the farm. It works once, within a quarter of an hour. */
  makeDiscordCode: CallWithout<DiscordCode>
  discordServers: CallWithout<DiscordServers>
  /** Sets what the roles of a Discord server may do; roles that were set before are replaced. */
  setDiscordRoles: Call<{ id: string; roles: DiscordRole[] }, Deleted>
  unbindDiscordServer: Call<{ id: string }, Deleted>
  /** The status as soon as it matches. */
  waitForStatus: CallWithOptional<
    Wait & {
      isReady?: boolean | undefined
      dayTransitionComplete?: boolean | undefined
      isPaused?: boolean | undefined
      day?: number | undefined
      playerCount?: number | undefined
    },
    Status
  >
  waitForPlayers: CallWithOptional<Wait & { playerId?: bigint | undefined }, Players>
  waitForFarmhands: CallWithOptional<
    Wait & {
      farmhandCount?: number | undefined
      hasFarmhand?: string | undefined
      requireCustomized?: boolean | undefined
    },
    Farmhands
  >
  waitForHealth: CallWithOptional<{ timeout?: number | undefined; ready?: boolean | undefined }, Health>
}

export type CallName = keyof Calls
