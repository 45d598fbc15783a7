/** Discord servers of a farm, as plain types (docs/notifications.md). A test holds them equal to the server's schemas. */

/** What members with a role may do in addition to `read`, which every member of a bound Discord server may. */
export interface DiscordRole {
  id: string
  scopes: ('chat' | 'control')[]
}

/** A Discord server that is bound to the farm. */
export interface DiscordServer {
  id: string
  boundAt: string
  roles: DiscordRole[]
}

export interface DiscordServers {
  /** Whether `DISCORD_PUBLIC_KEY` is set at the queried address, so that it accepts Discord commands. */
  isSetUp: boolean
  servers: DiscordServer[]
}

/** Binds one Discord server to the farm, once. No other call returns the code. */
export interface DiscordCode {
  code: string
  expiresAt: string
}
