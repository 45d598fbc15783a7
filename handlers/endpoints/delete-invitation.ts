import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { shortText } from '../parameter.ts'
import { invitationNotFound } from './show-invitation.ts'

export const deleteInvitation = endpoint('DELETE /invitations', {
  at: 'farm',
  scope: 'admin',
  tag: 'Accounts',
  operationId: 'deleteInvitation',
  summary: 'Deletes an invitation; people who have accepted it keep their scopes',
  parameters: {
    id: shortText(64, {
      description: "The invitation's id, as GET /invitations returns it",
      example: '6f1c2a9b03de',
    }),
  },
  result: deletionResult,
  example: { success: true, message: 'Invitation 6f1c2a9b03de is deleted' },
  problems: ['invitation_not_found'],
  async handle({ query: { id } }, { accounts }) {
    const stored = await accounts.deleteInvitation(id)
    if (stored === false) throw invitationNotFound()
    return deletionAnswer(`Invitation ${id} is deleted`, stored)
  },
})
