/** Discord servers that are bound to a farm, as `/discord/servers` shows them (docs/notifications.md). */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'

/** An id as Discord writes it: a 64-bit number in decimal digits. */
const discordId = /^[0-9]{1,20}$/
export const snowflake = v.pipe(v.string(), v.regex(discordId))

/** The scopes that a role can be given in addition to `read`, which every member of the Discord server has. */
export const roleScopes = ['chat', 'control'] as const

export const discordRole = described(
  docs(
    'What members with a role may do in addition to `read`, which every member of a bound Discord server may.',
  ),
  v.object({ id: v.string(), scopes: v.array(v.picklist(roleScopes)) }),
)
export type DiscordRole = v.InferOutput<typeof discordRole>

export const discordServer = described(
  docs('A Discord server that is bound to the farm.'),
  v.object({ id: v.string(), boundAt: timestamp, roles: v.array(discordRole) }),
)
export type DiscordServer = v.InferOutput<typeof discordServer>

export const discordCode = described(
  docs('Binds one Discord server to the farm, once. No other call returns the code.'),
  v.object({ code: v.string(), expiresAt: timestamp }),
)
export type DiscordCode = v.InferOutput<typeof discordCode>

const anId = "Member 'id' must be the id of a Discord server, as GET /discord/servers returns it"
const maxRoles = 50
const someRoles = `Member 'roles' must be a list of at most ${maxRoles} roles: {"id":"<id of the role>","scopes":[some of ${roleScopes.join(', ')}]}`

/** The roles that replace those of a Discord server. The messages are sentences for the caller. */
export const discordRolesRequest = v.strictObject({
  id: v.pipe(v.string(anId), v.regex(discordId, anId)),
  roles: v.pipe(
    v.array(
      v.strictObject(
        {
          id: v.pipe(v.string(someRoles), v.regex(discordId, someRoles)),
          scopes: v.pipe(
            v.array(v.picklist(roleScopes, someRoles), someRoles),
            v.minLength(1, someRoles),
            v.maxLength(roleScopes.length, someRoles),
          ),
        },
        someRoles,
      ),
      someRoles,
    ),
    v.maxLength(maxRoles, someRoles),
  ),
})
export type DiscordRolesRequest = v.InferOutput<typeof discordRolesRequest>

/** A command that was given in Discord: its id, and the Discord server in which it was given. */
export const discordCall = v.object({ id: snowflake, serverId: snowflake })
export type DiscordCall = v.InferOutput<typeof discordCall>

/** @see Records.heardDiscord */
export const heardDiscord = v.object({ isRepeated: v.boolean(), roles: v.optional(v.array(discordRole)) })
export type HeardDiscord = v.InferOutput<typeof heardDiscord>
