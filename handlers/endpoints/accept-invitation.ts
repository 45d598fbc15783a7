import * as v from 'valibot'
import { whereStored } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { scope } from '../key-record.ts'
import { codeBody, invitationNotFound } from './show-invitation.ts'
import { personOf } from './sign-out.ts'

export const acceptInvitation = endpoint('POST /invitations/accept', {
  at: 'farm',
  tag: 'Accounts',
  operationId: 'acceptInvitation',
  summary:
    'Gives the person who has signed in the scopes of an invitation; answers all scopes that the person then has',
  body: codeBody,
  keeps: true,
  result: v.object({ scopes: v.array(scope), ...whereStored }),
  example: { scopes: ['read', 'chat'] },
  problems: ['invitation_not_found', 'not_signed_in'],
  async handle({ body: { code }, holder }, { accounts }) {
    const scopes = await accounts.acceptInvitation(code, personOf(holder).account.id)
    if (scopes === undefined) throw invitationNotFound()
    return { scopes: [...scopes] }
  },
})
