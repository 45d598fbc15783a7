import { codeRequest, shownInvitation } from '../account-record.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { Problem } from '../problem.ts'

export const invitationNotFound = () =>
  new Problem('invitation_not_found', 'This invitation was used up, has expired or was deleted')

/** The code is a secret, which the audit does not show. */
export const codeBody = jsonBody(codeRequest, { code: '<code>' }, () => ({}))

export const showInvitation = endpoint('POST /invitations/show', {
  at: 'farm',
  access: 'public',
  tag: 'Accounts',
  operationId: 'showInvitation',
  summary: 'What an invitation gives',
  body: codeBody,
  result: shownInvitation,
  example: { scopes: ['read', 'chat'], expiresAt: '2026-11-28T12:00:00.000Z' },
  problems: ['invitation_not_found'],
  async handle({ body: { code } }, { accounts }) {
    const shown = await accounts.showInvitation(code)
    if (shown === undefined) throw invitationNotFound()
    return shown
  },
})
