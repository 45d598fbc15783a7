import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { text } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const discordServerNotFound = () =>
  new Problem('discord_server_not_found', 'This Discord server is not bound to this farm')

export const unbindDiscordServer = endpoint('DELETE /discord/servers', {
  at: 'farm',
  scope: 'admin',
  tag: 'Discord',
  operationId: 'unbindDiscordServer',
  summary: 'Unbinds a Discord server from this farm',
  parameters: {
    id: text({
      description: 'The id of a Discord server, as GET /discord/servers returns it',
      example: '290926798626357999',
    }),
  },
  result: deletionResult,
  example: { success: true, message: 'Discord server 290926798626357999 is no longer bound' },
  problems: ['discord_server_not_found'],
  async handle({ query: { id } }, { records }) {
    const stored = await records.unbindDiscordServer(id)
    if (stored === false) throw discordServerNotFound()
    return deletionAnswer(`Discord server ${id} is no longer bound`, stored)
  },
})
