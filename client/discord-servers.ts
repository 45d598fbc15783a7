/** Discord servers of a farm, as plain types (docs/notifications.md). A test holds them equal to the server's schemas. */

/** What members with a role may do besides `read`, which every member of a bound Discord server may. */
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
  /** Whether `DISCORD_PUBLIC_KEY` is set where this was asked, so that commands of Discord are taken there. */
  isSetUp: boolean
  servers: DiscordServer[]
}

/** Binds one Discord server to the farm, once. No other call answers the code. */
export interface DiscordCode {
  code: string
  expiresAt: string
}
