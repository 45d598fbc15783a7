import * as v from 'valibot'
import { described } from '../described.ts'
import { discordServer } from '../discord-record.ts'
import { endpoint } from '../endpoint.ts'

export const discordServers = endpoint('GET /discord/servers', {
  at: 'farm',
  scope: 'admin',
  tag: 'Discord',
  operationId: 'getDiscordServers',
  summary: 'The Discord servers that are bound to this farm, with what their roles may do',
  result: v.object({
    isSetUp: described(
      'Whether `DISCORD_PUBLIC_KEY` is set at the queried address, so that it accepts Discord commands.',
      v.boolean(),
    ),
    servers: v.array(discordServer),
  }),
  example: {
    isSetUp: true,
    servers: [
      {
        id: '290926798626357999',
        boundAt: '2026-11-21T12:00:00.000Z',
        roles: [{ id: '539082325061836999', scopes: ['chat', 'control'] }],
      },
    ],
  },
  handle: async ({ takesDiscord }, { records }) => ({
    isSetUp: takesDiscord,
    servers: [...(await records.discordServers())],
  }),
})
