import { invitationRequest, newInvitation } from '../account-record.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'

export const createInvitation = endpoint('POST /invitations', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'createInvitation',
  summary: 'Makes an invitation; this answer is the only one that shows its link',
  body: jsonBody(invitationRequest, { scopes: ['read', 'chat'], expiresInDays: 7, uses: 5 }),
  status: 201,
  keeps: true,
  result: newInvitation,
  example: {
    id: '6f1c2a9b03de',
    scopes: ['read', 'chat'],
    uses: 5,
    used: 0,
    createdAt: '2026-11-21T12:00:00.000Z',
    expiresAt: '2026-11-28T12:00:00.000Z',
    url: 'https://farm.example/#invitation=<code>',
  },
  problems: ['too_many_invitations', 'unsupported'],
  handle: ({ body }, { accounts }) => accounts.makeInvitation(body),
})
