import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { boolean, optional } from '../parameter.ts'
import { accountId, accountNotFound } from './change-account.ts'

export const deleteAccount = endpoint('DELETE /accounts', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'deleteAccount',
  summary: 'Removes what is stored of a person, and ends the sessions',
  parameters: {
    id: accountId,
    keys: optional(
      boolean({ description: 'Also revokes the keys that the person made; otherwise they stay' }),
    ),
  },
  result: deletionResult,
  example: { success: true, message: 'Account 9d21c07b55ae is deleted' },
  problems: ['account_not_found'],
  async handle({ query: { id, keys = false } }, { accounts, records }) {
    const made = (await records.keys()).filter(({ madeBy }) => madeBy?.id === id).map((key) => key.id)
    const stored = await accounts.deleteAccount(id, keys)
    if (stored === false) throw accountNotFound()
    const ids = made.join(', ')
    const how =
      made.length === 0
        ? ''
        : keys
          ? `, and its keys are revoked: ${ids}`
          : `; its keys are still valid: ${ids}`
    return deletionAnswer(`Account ${id} is deleted${how}`, stored)
  },
})
