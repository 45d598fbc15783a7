import { allowlist as record } from '../allowlist.ts'
import { endpoint } from '../endpoint.ts'

export const allowlist = endpoint({
  method: 'GET',
  path: '/allowlist',
  at: 'farm',
  access: 'key',
  scope: 'admin',
  tag: 'Players',
  operationId: 'getAllowlist',
  summary: 'The accounts whose joining is expected; the game itself refuses no one',
  parameters: {},
  result: record,
  example: { accounts: [{ platform: 'steam' as const, id: '76561198000000001', note: 'Abby' }] },
  problems: [],
  handle: async (_request, { records }) => ({ accounts: [...(await records.allowlist())] }),
})
