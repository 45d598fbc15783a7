import { accountList } from '../account-record.ts'
import { endpoint } from '../endpoint.ts'

export const accounts = endpoint('GET /accounts', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'getAccounts',
  summary: 'The people who have signed in, the most recent first, and the groups that give scopes',
  result: accountList,
  example: {
    accounts: [
      {
        id: '9d21c07b55ae',
        provider: 'discord',
        name: 'Robin',
        scopes: ['read', 'chat'],
        groupScopes: ['control'],
        createdAt: '2026-11-21T12:00:00.000Z',
        signedInAt: '2026-11-23T18:30:00.000Z',
      },
    ],
    groups: [{ provider: 'discord', id: '41771983423143936', scopes: ['control'] }],
  },
  handle: (_request, { accounts }) => accounts.accounts(),
})
