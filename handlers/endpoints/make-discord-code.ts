import { discordCode } from '../discord-record.ts'
import { endpoint } from '../endpoint.ts'

export const makeDiscordCode = endpoint({
  method: 'POST',
  path: '/discord/codes',
  at: 'farm',
  access: 'key',
  scope: 'admin',
  tag: 'Discord',
  operationId: 'makeDiscordCode',
  summary: 'Makes a code that binds one Discord server to this farm, once and within a quarter of an hour',
  parameters: {},
  status: 201,
  result: discordCode,
  example: { code: '5f0c2a9b03de71aa64c8', expiresAt: '2026-11-21T12:15:00.000Z' },
  problems: [],
  handle: (_request, { records }) => records.makeDiscordCode(),
})
