import * as v from 'valibot'
import { invitationRecord } from '../account-record.ts'
import { endpoint } from '../endpoint.ts'

export const invitations = endpoint('GET /invitations', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'getInvitations',
  summary: 'The invitations that can still be accepted, newest first, without their links',
  result: v.object({ invitations: v.array(invitationRecord) }),
  example: {
    invitations: [
      {
        id: '6f1c2a9b03de',
        scopes: ['read', 'chat'],
        uses: 5,
        used: 1,
        createdAt: '2026-11-21T12:00:00.000Z',
        expiresAt: '2026-11-28T12:00:00.000Z',
      },
    ],
  },
  handle: async (_request, { accounts }) => ({ invitations: [...(await accounts.invitations())] }),
})
