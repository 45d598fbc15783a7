import { groupsRequest } from '../account-record.ts'
import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'

export const setAccountGroups = endpoint('PATCH /accounts/groups', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'setAccountGroups',
  summary: 'Replaces the groups that give scopes: Discord roles and groups of the OIDC issuer',
  body: jsonBody(groupsRequest, {
    groups: [{ provider: 'discord', id: '41771983423143936', scopes: ['control'] }],
  }),
  result: deletionResult,
  example: { success: true, message: 'The groups are set' },
  async handle({ body: { groups } }, { accounts, records }) {
    const stored = await accounts.setGroups(groups)
    const isIdle =
      groups.some(({ provider }) => provider === 'discord') && (await records.discordServers()).length === 0
    return deletionAnswer(
      isIdle
        ? 'The groups are set. Discord roles give nothing until a Discord server is bound (POST /discord/codes)'
        : 'The groups are set',
      stored || true,
    )
  },
})
