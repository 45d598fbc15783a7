import { groupsRequest } from '../account-record.ts'
import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { maxJsonBody } from '../json-body.ts'

export const setAccountGroups = endpoint({
  method: 'PATCH',
  path: '/accounts/groups',
  at: 'farm',
  access: 'key',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'setAccountGroups',
  summary: 'Replaces the groups that give scopes: Discord roles and groups of the OIDC issuer',
  parameters: {},
  body: {
    type: 'application/json',
    schema: groupsRequest,
    example: { groups: [{ provider: 'discord', id: '41771983423143936', scopes: ['control'] }] },
    maxBytes: maxJsonBody,
  },
  result: deletionResult,
  example: { success: true, message: 'The groups are set' },
  problems: [],
  async handle({ body: { groups } }, { accounts }) {
    const stored = await accounts.setGroups(groups)
    return deletionAnswer('The groups are set', stored || true)
  },
})
