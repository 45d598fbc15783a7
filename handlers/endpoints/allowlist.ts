import { allowlist as record } from '../allowlist.ts'
import { endpoint } from '../endpoint.ts'

export const allowlist = endpoint('GET /allowlist', {
  at: 'farm',
  scope: 'admin',
  tag: 'Players',
  operationId: 'getAllowlist',
  summary: 'The accounts whose joining is expected; the game itself refuses no one',
  result: record,
  example: { accounts: [{ platform: 'steam' as const, id: '76561198000000001', note: 'Abby' }] },
  handle: async (_request, { records }) => ({ accounts: [...(await records.allowlist())] }),
})
