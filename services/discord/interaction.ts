/**
 * The body of a Discord request
 * (https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object).
 */

import * as v from 'valibot'
import { snowflake } from '../../handlers/discord-record.ts'
import { Problem } from '../../handlers/problem.ts'
import { readForeign } from '../../lib/foreign/read.ts'

const value = v.union([v.string(), v.number(), v.boolean()])

const ping = v.object({ type: v.literal(1) })

const command = v.object({
  type: v.literal(2),
  id: snowflake,
  application_id: snowflake,
  /** Allows answers for a quarter of an hour. It becomes a segment of a path, which `.` and `..` are not. */
  token: v.pipe(v.string(), v.regex(/^(?!\.{1,2}$)[!-~]{1,1024}$/)),
  /** Missing in a direct message, as `member` is. */
  guild_id: v.optional(snowflake),
  member: v.optional(
    v.object({
      user: v.object({ id: snowflake, username: v.string() }),
      roles: v.array(snowflake),
      permissions: v.string(),
    }),
  ),
  data: v.object({
    name: v.string(),
    options: v.optional(
      v.array(
        v.object({
          name: v.string(),
          options: v.optional(v.array(v.object({ name: v.string(), value: v.optional(value) }))),
        }),
      ),
    ),
  }),
})
export type CommandInteraction = v.InferOutput<typeof command>

/** An interaction with something that no message of farmgate contains, such as a button. */
const other = v.object({ type: v.pipe(v.number(), v.integer(), v.minValue(3)) })

const interaction = v.union([ping, command, other])

/** @throws {Problem} malformed_request */
export function readInteraction(body: Uint8Array): v.InferOutput<typeof interaction> {
  const read = readForeign(interaction, body)
  if (read === undefined) throw new Problem('malformed_request', 'The body is not an interaction of Discord')
  return read
}

export const isPing = (one: { readonly type: number }): boolean => one.type === ping.entries.type.literal

export const isCommand = (one: object): one is CommandInteraction => 'data' in one

/** The name of a subcommand of `/farm`, and its options as texts. */
export function subcommandOf({ data }: CommandInteraction) {
  const [subcommand] = data.name === 'farm' ? (data.options ?? []) : []
  const given = Object.fromEntries(
    (subcommand?.options ?? []).map(({ name, value: text = '' }) => [name, String(text)]),
  )
  return { name: subcommand?.name, given }
}
