import { deletionAnswer, deletionResult } from '../deletion.ts'
import { discordRolesRequest } from '../discord-record.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { discordServerNotFound } from './unbind-discord-server.ts'

export const setDiscordRoles = endpoint('PATCH /discord/servers', {
  at: 'farm',
  scope: 'admin',
  tag: 'Discord',
  operationId: 'setDiscordRoles',
  summary: 'Sets what the roles of a Discord server may do; roles that were set before are replaced',
  body: jsonBody(discordRolesRequest, {
    id: '290926798626357999',
    roles: [{ id: '539082325061836999', scopes: ['chat', 'control'] }],
  }),
  result: deletionResult,
  example: { success: true, message: 'The roles of Discord server 290926798626357999 are set' },
  problems: ['discord_server_not_found'],
  async handle({ body }, { records }) {
    const stored = await records.setDiscordRoles(body)
    if (stored === false) throw discordServerNotFound()
    return deletionAnswer(`The roles of Discord server ${body.id} are set`, stored)
  },
})
