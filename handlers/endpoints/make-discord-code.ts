import { discordCode } from '../discord-record.ts'
import { endpoint } from '../endpoint.ts'

export const makeDiscordCode = endpoint('POST /discord/codes', {
  at: 'farm',
  scope: 'admin',
  tag: 'Discord',
  operationId: 'makeDiscordCode',
  summary: 'Makes a code that binds one Discord server to this farm, once and within a quarter of an hour',
  status: 201,
  result: discordCode,
  example: { code: '5f0c2a9b03de71aa64c8', expiresAt: '2026-11-21T12:15:00.000Z' },
  handle: (_request, { records }) => records.makeDiscordCode(),
})
