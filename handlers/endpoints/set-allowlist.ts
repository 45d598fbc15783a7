import { accountKey, aList, allowlist as schema } from '../allowlist.ts'
import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { Problem } from '../problem.ts'
import { allowlist } from './allowlist.ts'

export const setAllowlist = endpoint('PUT /allowlist', {
  at: 'farm',
  scope: 'admin',
  tag: 'Players',
  operationId: 'setAllowlist',
  summary:
    'Replaces the list; with one that is not empty, everyone else who joins is the event player.unlisted',
  // Notes can name people.
  body: jsonBody(schema, allowlist.example, ({ accounts }) =>
    Array.isArray(accounts) ? { accounts: accounts.length } : {},
  ),
  result: deletionResult,
  example: { success: true, message: 'The allowlist is set' },
  async handle({ body: { accounts } }, { records }) {
    if (new Set(accounts.map(accountKey)).size < accounts.length)
      throw new Problem('invalid_parameter', aList, { parameter: 'accounts' })
    const stored = await records.setAllowlist(accounts)
    return deletionAnswer('The allowlist is set', stored || true)
  },
})
