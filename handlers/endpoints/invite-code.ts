import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'

export const inviteCode = endpoint('GET /invite-code', {
  scope: 'read',
  tag: 'Players',
  operationId: 'getInviteCode',
  summary: docs('The code players type to join; 200 with `error` while there is none'),
  result: v.union([v.object({ inviteCode: v.string() }), v.object({ error: v.string() })]),
  example: docs({ inviteCode: 'GABC123' }),
  async handle(_request, { game }) {
    const code = await game.inviteCode()
    return code === undefined ? { error: 'No invite code available' } : { inviteCode: code }
  },
})
