import { accountRequest } from '../account-record.ts'
import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const accountId = shortText(64, {
  description: "The account's id, as GET /accounts returns it",
  example: '9d21c07b55ae',
})

export const accountNotFound = () => new Problem('account_not_found', 'Account not found')

export const changeAccount = endpoint('PATCH /accounts', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'changeAccount',
  summary: 'Replaces the scopes of a person; those of groups stay',
  parameters: { id: accountId },
  body: jsonBody(accountRequest, { scopes: ['read', 'chat'] }),
  result: deletionResult,
  example: { success: true, message: 'The account is changed' },
  problems: ['account_not_found'],
  async handle({ query: { id }, body: { scopes } }, { accounts }) {
    const stored = await accounts.changeAccount(id, scopes)
    if (stored === false) throw accountNotFound()
    return deletionAnswer('The account is changed', stored)
  },
})
