import type { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { type DiscordRole, discordRole } from '../../handlers/discord-record.ts'
import { stringifyJson } from '../../lib/json.ts'
import { jsonColumn, readableRows, type Skipped } from './readable-rows.ts'
import { addWithinLimit } from './within-limit.ts'

/** A Discord server that is bound to the farm. Times are milliseconds since 1970. */
const storedServer = v.object({
  id: v.string(),
  boundAt: v.number(),
  roles: jsonColumn(v.array(discordRole)),
})

/** Maximum of remembered commands and codes; the oldest are forgotten first. */
const maxCommands = 10_000
const maxCodes = 100

export function discordTable(db: DatabaseSync, skipped: Skipped) {
  const all = db.prepare('SELECT * FROM discordServers WHERE unboundAt IS NULL ORDER BY boundAt, id')
  const insertCode = db.prepare('INSERT INTO discordCodes (digest, expiresAt) VALUES (?, ?)')
  const dropCodes = db.prepare('DELETE FROM discordCodes WHERE expiresAt <= ?')
  const dropMostCodes = db.prepare(`DELETE FROM discordCodes WHERE digest IN (
    SELECT digest FROM discordCodes ORDER BY expiresAt DESC LIMIT -1 OFFSET ${maxCodes})`)
  const useCode = db.prepare(
    'UPDATE discordCodes SET usedAt = ? WHERE digest = ? AND usedAt IS NULL AND expiresAt > ?',
  )
  const bind = db.prepare(
    `INSERT INTO discordServers (id, roles, boundAt) VALUES (?, '[]', ?)
      ON CONFLICT (id) DO UPDATE SET boundAt = excluded.boundAt, unboundAt = NULL,
      roles = CASE WHEN unboundAt IS NULL THEN roles ELSE '[]' END`,
  )
  const setRoles = db.prepare('UPDATE discordServers SET roles = ? WHERE id = ? AND unboundAt IS NULL')
  // The row is not deleted, so that a binding that ended while records were in memory also ends in the database.
  const unbind = db.prepare('UPDATE discordServers SET unboundAt = ? WHERE id = ? AND unboundAt IS NULL')
  const addCommand = db.prepare('INSERT OR IGNORE INTO discordCommands (id, heardAt) VALUES (?, ?)')
  const forgetCommands = db.prepare('DELETE FROM discordCommands WHERE heardAt <= ?')
  const forgetMostCommands = db.prepare(`DELETE FROM discordCommands WHERE id IN (
    SELECT id FROM discordCommands ORDER BY heardAt DESC LIMIT -1 OFFSET ${maxCommands})`)
  return {
    reads: {
      storedDiscordServers: () => readableRows('discordServers', all.all(), storedServer, skipped),
    },
    writes: {
      /** @param digest SHA-256 of the code, as hexadecimal digits */
      addDiscordCode(digest: string, expiresAt: number, at: number): void {
        dropCodes.run(at)
        insertCode.run(digest, expiresAt)
        dropMostCodes.run()
      },
      /** Binds a Discord server by a code, which is unknown also when it was used or has expired. */
      bindDiscordServer(digest: string, serverId: string, at: number): 'bound' | 'unknown_code' | 'too_many' {
        if (useCode.run(at, digest, at).changes === 0) return 'unknown_code'
        const others = () => all.all().filter(({ id }) => id !== serverId).length
        return addWithinLimit('discordServers', others, () => bind.run(serverId, at)) ? 'bound' : 'too_many'
      },
      /**
       * Remembers a command, so that it runs once.
       * @param before forgets those that came before this time
       * @returns false when it is remembered already
       */
      addDiscordCommand(id: string, at: number, before: number): boolean {
        forgetCommands.run(before)
        forgetMostCommands.run()
        return addCommand.run(id, at).changes > 0
      },
      /** @returns false when the server is not bound */
      setDiscordRoles: (serverId: string, roles: readonly DiscordRole[]): boolean =>
        setRoles.run(stringifyJson(roles), serverId).changes > 0,
      /** @returns false when the server is not bound */
      unbindDiscordServer: (serverId: string, at: number): boolean => unbind.run(at, serverId).changes > 0,
    },
  }
}
