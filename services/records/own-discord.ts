/** The calls of the records port that are about Discord. */

import { isoTime } from '../../handlers/iso-time.ts'
import type { Records } from '../../handlers/records.ts'
import { digestOf } from '../../lib/keys.ts'
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

interface OwnDiscordParts {
  readonly calls: KeeperCalls
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

const codeBytes = 10
/** Milliseconds for which a code is valid. */
const codeLasts = 15 * 60_000
/** Milliseconds for which ids of commands are remembered: longer than a signature of Discord is accepted. */
const rememberedFor = 15 * 60_000
/** Maximum of remembered ids; the oldest are forgotten first. */
const remembered = 10_000

export function ownDiscord({ calls, now, randomBytes }: OwnDiscordParts): DiscordCalls {
  /** When each command came first, oldest first: those sent to the farm itself and those sent to the edge. */
  const heard = new Map<string, number>()
  const isRepeated = (id: string) => {
    for (const [known, at] of heard) {
      if (heard.size < remembered && at > now() - rememberedFor) break
      heard.delete(known)
    }
    if (heard.has(id)) return true
    heard.set(id, now())
    return false
  }
  return {
    async makeDiscordCode() {
      const code = Buffer.from(randomBytes(codeBytes)).toString('hex')
      const expiresAt = now() + codeLasts
      await calls.addDiscordCode(hexDigest(code), expiresAt, now())
      return { code, expiresAt: isoTime(expiresAt) }
    },
    bindDiscordServer: ({ code, serverId }) => calls.bindDiscordServer(hexDigest(code), serverId, now()),
    discordServers: async () =>
      (await calls.storedDiscordServers()).map(({ id, boundAt, roles }) => ({
        id,
        boundAt: isoTime(boundAt),
        roles: [...roles],
      })),
    setDiscordRoles: ({ id, roles }) => calls.setDiscordRoles(id, roles),
    unbindDiscordServer: (serverId) => calls.unbindDiscordServer(serverId, now()),
    async heardDiscord({ id, serverId }) {
      const known = { isRepeated: isRepeated(id) }
      const server = (await calls.storedDiscordServers()).find((one) => one.id === serverId)
      return server === undefined ? known : { ...known, roles: [...server.roles] }
    },
  }
}

const hexDigest = (code: string): string => Buffer.from(digestOf(code)).toString('hex')
