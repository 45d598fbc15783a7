/** Discord servers of a farm, as plain types (docs/discord.md). A test holds them equal to the server's schemas. */

/** What a role may do beside looking, which everybody may. */
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

/** Binds one Discord server, once; shown this once. */
export interface DiscordCode {
  code: string
  expiresAt: string
}
