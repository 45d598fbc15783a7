/** Discord servers that are bound to the farm, and its answers to their commands. */
import { expect } from 'vitest'
import { newId, sendCommand } from '../../discord/signed.ts'
import { askWithKey, type Reply } from '../request.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

export const ephemeral = 64
export const manageGuild = '32'
export const helper = '700'

/** A Discord server that is bound to the farm, with one role for helpers. */
export async function boundGuild(server: ServerUnderTest): Promise<string> {
  const guild = newId()
  const { code } = (await askWithKey(server, 'POST', '/discord/codes')).json as { readonly code: string }
  const bound = await sendCommand(server, 'bind', { guild, permissions: manageGuild, given: { code } })
  expect(privately(bound)).toContain('is bound to the farm')
  const roles = await askWithKey(server, 'PATCH', '/discord/servers', {
    json: { id: guild, roles: [{ id: helper, scopes: ['chat', 'control'] }] },
  })
  expect(roles.status).toBe(200)
  return guild
}

/** The text of a public answer. */
export const publicly = (reply: Reply): string => messageOf(reply, 0)
/** The text of a private answer. */
export const privately = (reply: Reply): string => messageOf(reply, ephemeral)

function messageOf({ status, json, headers }: Reply, flag: number): string {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  const { type, data } = json as { type: number; data: { content: string; flags: number } }
  expect([type, data.flags & ephemeral]).toEqual([4, flag])
  expect(data).toMatchObject({ allowed_mentions: { parse: [] } })
  return data.content
}
