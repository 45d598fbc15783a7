/** Every call of the HTTP API: its name is the operation id in `/docs`, without a leading `get`. Written by `npm run generate`. */
import type { Call, CallWithOptional, CallWithout } from './call.ts'
import type * as of from './types.ts'

/** @throws {FarmgateError} each of them, with the `code` of the answer */
export interface Calls {
  /** Whether this process serves, and the last known state of the game; always 200, without a call to the game. */
  health: CallWithout<of.Health>
  /** Whether the game is reachable; for load balancers and orchestrators. */
  ready: CallWithout<{ ready: true }>
  /** The farm at a glance; invite codes only with a key. While the game is offline, 503 with its last values. */
  status: CallWithout<of.Status>
  /** Who is connected, without the host. */
  players: CallWithout<of.Players>
  /** The code players type to join; 200 with `error` while there is none. */
  inviteCode: CallWithout<{ inviteCode: string } | { error: string }>
  /** Every farmhand slot: connected, offline and unclaimed. */
  farmhands: CallWithout<of.Farmhands>
  /** Deletes an offline farmhand and frees its cabin; saved when the day ends. */
  deleteFarmhand: Call<{ name?: string | undefined; playerId?: bigint | undefined }, of.Done>
  /** Gives a farmhand to the account of another join path, named as in the connect log. */
  rebindFarmhand: Call<{ playerId: bigint; identity: string }, of.Done>
  /** Server configuration, read from server-settings.json. */
  settings: CallWithout<of.Settings>
  /** Changes members of server-settings.json; missing ones stay unchanged. */
  changeSettings: Call<of.SettingsPatch, of.SettingsChange>
  /** Cabins with their tiles and owners. */
  cabins: CallWithout<of.Cabins>
  /** The host's own display rate, frames per second; 0 is off. */
  rendering: CallWithout<{ fps: number }>
  /** Sets the host's own display rate until the next start. */
  setRendering: Call<{ fps: number }, { success: true; fps: number; previousFps: number; message: string }>
  /** Sets the in-game time of day. */
  setTime: Call<{ value: number }, { success: true; timeOfDay: number; message: string }>
  /** Makes a player an admin, connected or not; granting twice changes nothing. */
  grantAdmin: Call<
    { name?: string | undefined; playerId?: bigint | undefined },
    { success: true; playerId: bigint; playerName: string; message: string }
  >
  /** Says a line to all players as the server, or as a chat line by Server where the game cannot. */
  announce: Call<{ message: string }, of.Done>
  /** The game process: ticks, memory, collections and its thread's waiting time. */
  stats: CallWithout<of.Stats>
  /** The host's display as a PNG in base64; 200 with `success:false` when it cannot be taken. */
  screenshot: CallWithout<of.Screenshot>
  /** Sets how fast the in-game clock runs until the next start. */
  setClockSpeed: Call<{ multiplier: number }, { success: true; multiplier: number; effectiveMs: number }>
  /** Whether players log in with a password, and how many did. */
  passwordProtection: CallWithout<of.PasswordProtection>
  /** Sets how long a player may take to log in, until the next start; 0 is unlimited. */
  setLoginTimeout: Call<
    { value: number },
    { success: true; timeoutSeconds: number; previousTimeoutSeconds: number }
  >
  /** Replaces the world with a new one while no one is connected; omitted members come from the settings. */
  createNewGame: CallWithOptional<
    of.NewGame,
    {
      success: true
      message: string
      /** A save was loaded before. */
      warning?: string
    }
  >
  /** Reads the settings file again and reloads the save while no one is connected. */
  reloadWorld: CallWithout<of.Done>
  /** The game's own record of its internal state, for bug reports. */
  diagnosticsState: CallWithOptional<
    {
      masterFlag?: string | undefined
      masterEvent?: string | undefined
      masterFriendKey?: string | undefined
    },
    Record<string, unknown>
  >
  /** Every write, with who made it and how it ended; newest first. */
  audit: CallWithOptional<
    {
      before?: string | undefined
      limit?: number | undefined
      action?: string | undefined
      key?: string | undefined
    },
    of.AuditPage
  >
  /** The status as soon as it matches; 408 without a body when it does not in time. */
  waitForStatus: CallWithOptional<
    {
      since?: number | undefined
      timeout?: number | undefined
      isReady?: boolean | undefined
      dayTransitionComplete?: boolean | undefined
      isPaused?: boolean | undefined
      day?: number | undefined
      playerCount?: number | undefined
    },
    of.Status
  >
  /** The players as soon as they match; 408 without a body when they do not in time. */
  waitForPlayers: CallWithOptional<
    { since?: number | undefined; timeout?: number | undefined; playerId?: bigint | undefined },
    of.Players
  >
  /** The farmhands as soon as they match; 408 without a body when they do not in time. */
  waitForFarmhands: CallWithOptional<
    {
      since?: number | undefined
      timeout?: number | undefined
      farmhandCount?: number | undefined
      hasFarmhand?: string | undefined
      requireCustomized?: boolean | undefined
    },
    of.Farmhands
  >
  /** The health, with `ready=true` as soon as the game ticks; 408 without a body when it does not in time. */
  waitForHealth: CallWithOptional<{ timeout?: number | undefined; ready?: boolean | undefined }, of.Health>
  /** Why friends cannot join: each check in order, and the first that is wrong. */
  join: CallWithout<{
    checks: {
      check:
        | 'process'
        | 'night'
        | 'sign_in'
        | 'clock'
        | 'relay'
        | 'invite_code'
        | 'player_limit'
        | 'password'
        | 'versions'
      state: 'ok' | 'wrong' | 'unknown'
      message: string
      /** What to do. */
      next?: string
    }[]
    /** The first check that is wrong. */
    first?:
      | 'process'
      | 'night'
      | 'sign_in'
      | 'clock'
      | 'relay'
      | 'invite_code'
      | 'player_limit'
      | 'password'
      | 'versions'
  }>
  /** The named keys and sessions that are not revoked, without the keys themselves. */
  keys: CallWithout<{ keys: of.Key[] }>
  /** What the key or session of this request allows; any that is valid may ask. */
  ownKey: CallWithout<of.OwnKey>
  /** Makes a named key; this answer is the only one that shows it. */
  createKey: Call<
    {
      name: string
      scopes: of.Scope[]
      expiresInDays?: number | undefined
      expiresInMinutes?: number | undefined
    },
    of.NewKey
  >
  /** Revokes a named key or session at once; sockets that use it are closed. */
  revokeKey: Call<{ id: string }, of.Deleted>
  /** With whose accounts people can sign in here. */
  signInProviders: CallWithout<{ providers: { id: 'discord' | 'oidc'; name: string }[] }>
  /** The secret of a new session, once, for the code that the callback put into the address of the page. */
  takeSession: Call<{ code: string }, { secret: string }>
  /** Ends the session, or all sessions of the person; their sockets are closed. */
  signOut: CallWithOptional<{ everywhere?: boolean | undefined }, of.Deleted>
  /** The people who have signed in, the most recent first, and the groups that give scopes. */
  accounts: CallWithout<of.Accounts>
  /** Replaces the scopes of a person; those of groups stay. */
  changeAccount: Call<{ id: string } & { scopes: of.Scope[] }, of.Deleted>
  /** Removes what is stored of a person, and ends the sessions. */
  deleteAccount: Call<{ id: string; keys?: boolean | undefined }, of.Deleted>
  /** Replaces the groups that give scopes: Discord roles and groups of the OIDC issuer. */
  setAccountGroups: Call<
    { groups: { provider: 'discord' | 'oidc'; id: string; scopes: of.Scope[] }[] },
    of.Deleted
  >
  /** The invitations that can still be accepted, newest first, without their links. */
  invitations: CallWithout<{ invitations: of.Invitation[] }>
  /** Makes an invitation; this answer is the only one that shows its link. */
  createInvitation: Call<
    { scopes: of.Scope[]; expiresInDays?: number | undefined; uses?: number | undefined },
    of.NewInvitation
  >
  /** Deletes an invitation; people who have accepted it keep their scopes. */
  deleteInvitation: Call<{ id: string }, of.Deleted>
  /** What an invitation gives. */
  showInvitation: Call<{ code: string }, { scopes: of.Scope[]; expiresAt: string }>
  /** Gives the person who has signed in the scopes of an invitation; answers all scopes that the person then has. */
  acceptInvitation: Call<
    { code: string },
    {
      scopes: of.Scope[]
      /** Set while the change is not on the farm's disk: it is lost when farmgate is killed before DATA_DIR can be written. */
      stored?: 'memory'
    }
  >
  /** Who played when; newest first. */
  historySessions: CallWithOptional<
    {
      from?: string | undefined
      to?: string | undefined
      playerId?: bigint | undefined
      before?: string | undefined
      limit?: number | undefined
    },
    of.HistorySessions
  >
  /** Everyone who played: first and last seen, minutes and sessions; at most 1,000, last seen first. */
  historyPlayers: CallWithout<of.HistoryPlayers>
  /** How the game ran: mean and maximum of each step that has a sample. */
  historySamples: CallWithOptional<
    { from?: string | undefined; to?: string | undefined; step?: number | undefined },
    of.HistorySamples
  >
  /** The game's days: when each began and ended, and who played; newest first. */
  historyDays: CallWithOptional<{ before?: string | undefined; limit?: number | undefined }, of.HistoryDays>
  /** The outages of the game and of farmgate, newest first, and the share of the time without one. */
  historyOutages: CallWithOptional<{ from?: string | undefined }, of.HistoryOutages>
  /** The game's chat with the number of each line; newest first. */
  historyChat: CallWithOptional<{ before?: string | undefined; limit?: number | undefined }, of.HistoryChat>
  /** The backups of the farm's save, newest first. */
  backups: CallWithout<of.Backups>
  /** Makes a backup of the farm's save now and reads it back; 200 with the existing backup where the save has not changed since. */
  makeBackup: CallWithout<of.MadeBackup>
  /** Replaces the farm's save with a backup while no one is connected; later changes are lost. */
  restoreBackup: Call<{ id: string; dryRun?: boolean | undefined }, of.RestoredBackup>
  /** Removes a backup from the disk. */
  deleteBackup: Call<{ id: string }, of.Done>
  /** Makes a one-time address of a download, for a browser, whose links send no key. */
  createDownload: Call<
    { path: string },
    {
      /** Relative to the address of the farm. */
      url: string
      expiresAt: string
    }
  >
  /** The saves in the game's folder: the active one first, then the last written one. */
  saves: CallWithout<{
    saves: of.Save[]
    /** What the next start of the game loads, by JunimoServer's pointer: `ok` its `save`; `repairable`: the pointer names none, and farmgate repairs it to `save`, which has the same number; `missing` and `none`: it creates a new farm; `unknown`: the pointer cannot be read, or the game is not a JunimoServer. */
    next: {
      state: 'ok' | 'repairable' | 'missing' | 'none' | 'unknown'
      /** The name in the pointer. */
      name?: string
      save?: string
    }
    unexpected?: of.UnexpectedFarm | undefined
  }>
  /** Adds a save next to the others; it never replaces one. */
  uploadSave: Call<{ content: Blob } & { save?: string | undefined; dryRun?: boolean | undefined }, of.Save>
  /** Makes the game load a save while no one is connected; what was played since the last night is lost. */
  chooseSave: Call<
    { name: string; hostTo?: string | undefined } & of.LoadRequest,
    {
      success: true
      /** A sentence: what the game does. */
      message: string
      /** What the game's console has printed. */
      output: string[]
      /** The operation that loads it, which has begun. */
      operation?: of.HostOperation
    }
  >
  /** Restarts the game with a new farm; the present one stays in the list, and comes back if that fails. */
  startNewFarm: Call<of.NewFarm, { operation: of.HostOperation }>
  /** Says that a save is the right one to play, which ends `unexpected` of GET /saves. */
  expectSave: Call<{ name: string }, of.Done>
  /** The accounts whose joining is expected; the game itself refuses no one. */
  allowlist: CallWithout<of.Allowlist>
  /** Replaces the list; with one that is not empty, everyone else who joins is the event player.unlisted. */
  setAllowlist: Call<of.Allowlist, of.Deleted>
  /** The game's process: its state, what it and the machine use, the current operation, and the watchdog. */
  host: CallWithout<of.GameHost>
  /** Starts the game; answers with the operation that has begun. */
  startGame: CallWithOptional<of.HostRequest, { operation: of.HostOperation }>
  /** Stops the game after warnings and a backup, never while it saves; answers with the operation that has begun. */
  stopGame: CallWithOptional<of.HostRequest, { operation: of.HostOperation }>
  /** Restarts the game after warnings and a backup, never while it saves; answers with the operation that has begun. */
  restartGame: CallWithOptional<of.HostRequest, { operation: of.HostOperation }>
  /** The last 50 operations on the game's process, newest first. */
  hostOperations: CallWithout<{ operations: of.HostOperation[] }>
  /** Cancels an operation that has not begun to stop the game. */
  cancelHostOperation: Call<{ id: string }, { operation: of.HostOperation }>
  /** The last lines of the game's log, oldest first, at most 256 KiB. */
  hostLog: CallWithOptional<{ lines?: number | undefined }, { lines: of.HostLogLine[] }>
  /** Types a line at the game's console, and answers with the output of the next second. */
  typeAtConsole: Call<{ line: string }, { success: true; output: string[] }>
  /** The schedules, with their next and last runs. */
  schedules: CallWithout<{ schedules: of.Schedule[] }>
  /** Makes a schedule, which acts with the scopes that this key has at the time of each run. */
  createSchedule: Call<
    {
      name: string
      cron: string
      timeZone?: string | undefined
      do: of.ScheduledAction
      /** The run is skipped while players are connected. */
      onlyWhenEmpty?: boolean | undefined
      /** Of `restart` and `stop`: minutes before the stop at which players are warned, after the schedule's time. */
      warnMinutes?: number[] | undefined
      enabled?: boolean | undefined
    },
    of.KeptSchedule
  >
  /** Changes a schedule; missing members stay unchanged. */
  changeSchedule: Call<
    { id: string } & {
      name?: string | undefined
      cron?: string | undefined
      timeZone?: string | undefined
      do?: of.ScheduledAction | undefined
      /** The run is skipped while players are connected. */
      onlyWhenEmpty?: boolean | undefined
      /** Of `restart` and `stop`: minutes before the stop at which players are warned, after the schedule's time. */
      warnMinutes?: number[] | undefined
      enabled?: boolean | undefined
    },
    of.KeptSchedule
  >
  /** Deletes a schedule. */
  deleteSchedule: Call<{ id: string }, of.Deleted>
  /** Runs a schedule now as it would run at its time; its outcome is in `last`. */
  runSchedule: Call<{ id: string }, { last: of.ScheduleRun }>
  /** The mods of the game server, by name, and what is wrong with them. */
  mods: CallWithout<of.Mods>
  /** Installs the mods of a zip; a replaced mod keeps its config.json and the files that the zip does not have. */
  installMods: Call<{ content: Blob }, of.InstalledMods>
  /** Lets the game load a mod at its next start. */
  enableMod: Call<{ id: string }, of.Done>
  /** Keeps a mod, without the game loading it at its next start. */
  disableMod: Call<{ id: string; force?: boolean | undefined }, of.Done>
  /** Deletes a mod with its settings. */
  deleteMod: Call<{ id: string; force?: boolean | undefined }, of.Done>
  /** Notes who needs a mod: the server alone, or the players too. */
  changeMod: Call<{ id: string } & { side: of.ModSide }, of.Done>
  /** The links to the players' mods that have not ended, newest first, without their codes. */
  packLinks: CallWithout<{ links: of.PackLink[] }>
  /** Makes a link to the players' mods that needs no key; this answer is the only one that shows it. */
  createPackLink: Call<
    { expiresInDays: number },
    {
      id: string
      /** The address of the download, relative to the API without PUBLIC_URL. */
      url: string
      expiresAt: string
    }
  >
  /** Revokes a link to the players' mods; its downloads end within a second. */
  revokePackLink: Call<{ id: string }, of.Deleted>
  /** Newer versions of the mods, by SMAPI's update API; an answer is kept for six hours. */
  modUpdates: CallWithout<{ updates: { id: string; installed: string; version: string; url: string }[] }>
  /** The webhooks, each by the origin of its URL, without their secrets. */
  webhooks: CallWithout<{ webhooks: of.Webhook[] }>
  /** Makes a webhook; this answer is the only one that shows the secret it signs with. */
  createWebhook: Call<
    { name: string; url: string; events: of.WebhookEvent[]; format: of.WebhookFormat },
    of.NewWebhook
  >
  /** Deletes a webhook, with its URL, its secret and its deliveries. */
  deleteWebhook: Call<{ id: string }, of.Deleted>
  /** Sends one test at once, before all waiting deliveries; its delivery shows the outcome. */
  testWebhook: Call<{ id: string }, { success: true; message: string; deliveryId: string }>
  /** Past and waiting deliveries of a webhook, with their outcome; newest first. */
  webhookDeliveries: Call<
    { id: string; before?: string | undefined; limit?: number | undefined },
    of.WebhookDeliveries
  >
  /** Sends a finished delivery again with the same webhook-id, or tries a waiting one now. */
  replayDelivery: Call<{ deliveryId: string }, of.Done>
  /** Makes a code that binds one Discord server to this farm, once and within a quarter of an hour. */
  makeDiscordCode: CallWithout<of.DiscordCode>
  /** The Discord servers that are bound to this farm, with what their roles may do. */
  discordServers: CallWithout<of.DiscordServers>
  /** Sets what the roles of a Discord server may do; roles that were set before are replaced. */
  setDiscordRoles: Call<{ id: string; roles: { id: string; scopes: ('chat' | 'control')[] }[] }, of.Deleted>
  /** Unbinds a Discord server from this farm. */
  unbindDiscordServer: Call<{ id: string }, of.Deleted>
}

export type CallName = keyof Calls
