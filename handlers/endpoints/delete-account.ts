import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { accountId, accountNotFound } from './change-account.ts'

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/accounts',
  at: 'farm',
  access: 'key',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'deleteAccount',
  summary: 'Removes what is stored of a person, and ends the sessions',
  parameters: { id: accountId },
  result: deletionResult,
  example: { success: true, message: 'Account 9d21c07b55ae is deleted' },
  problems: ['account_not_found'],
  async handle({ query: { id } }, { accounts }) {
    const stored = await accounts.deleteAccount(id)
    if (stored === false) throw accountNotFound()
    return deletionAnswer(`Account ${id} is deleted`, stored)
  },
})
