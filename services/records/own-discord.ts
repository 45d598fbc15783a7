/** The calls of the records port for Discord. */
import { roleScopes } from '../../handlers/discord-record.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { allows } from '../../handlers/key-holder.ts'
import { limits } from '../../handlers/limits.ts'
import type { Records } from '../../handlers/records.ts'
import type { Clock } from '../../lib/clock.ts'
import { hexDigestOf } from '../../lib/keys.ts'
import type { KeeperCalls } from './keeper.ts'

type DiscordCalls = Pick<
  Records,
  | 'makeDiscordCode'
  | 'bindDiscordServer'
  | 'discordServers'
  | 'setDiscordRoles'
  | 'unbindDiscordServer'
  | 'heardDiscord'
>

interface OwnDiscordParts extends Pick<Clock, 'now'> {
  readonly calls: KeeperCalls
  readonly randomBytes: (size: number) => Uint8Array
}

const tooManyServers = `${limits.discordServers} Discord servers are bound already; unbind one first`
const codeBytes = 10
/** Milliseconds for which a code is valid. */
const codeLasts = 15 * 60_000
/** Milliseconds for which ids of commands are remembered: longer than a signature of Discord is accepted. */
const rememberedFor = 15 * 60_000

export function ownDiscord({ calls, now, randomBytes }: OwnDiscordParts): DiscordCalls {
  return {
    async makeDiscordCode() {
      const code = Buffer.from(randomBytes(codeBytes)).toString('hex')
      const expiresAt = now() + codeLasts
      await calls.addDiscordCode(hexDigestOf(code), expiresAt, now())
      return { code, expiresAt: isoTime(expiresAt) }
    },
    async bindDiscordServer({ code, serverId }) {
      const outcome = await calls.bindDiscordServer(hexDigestOf(code), serverId, now())
      if (outcome === 'too_many') throw new FarmError({ kind: 'invalid_argument', sentence: tooManyServers })
      return outcome === 'bound'
    },
    discordServers: async () =>
      (await calls.storedDiscordServers()).map(({ id, boundAt, roles }) => ({
        id,
        boundAt: isoTime(boundAt),
        roles: [...roles],
      })),
    setDiscordRoles: ({ id, roles }) => calls.setDiscordRoles(id, roles),
    unbindDiscordServer: (serverId) => calls.unbindDiscordServer(serverId, now()),
    async heardDiscord({ id, serverId }) {
      // Written before the command runs, so that it does not run again after a restart. The same table has the
      // commands that were sent to the farm itself and to the edge.
      const known = { isRepeated: !(await calls.addDiscordCommand(id, now(), now() - rememberedFor)) }
      const server = (await calls.storedDiscordServers()).find((one) => one.id === serverId)
      if (server === undefined) return known
      // The groups of accounts that are Discord roles count here too; commands need no more than these scopes.
      const groups = (await calls.accountGroups()).filter(({ provider }) => provider === 'discord')
      const roles = groups.map((group) => ({
        id: group.id,
        scopes: roleScopes.filter((scope) => allows(group, scope)),
      }))
      return { ...known, roles: [...server.roles, ...roles] }
    },
  }
}
