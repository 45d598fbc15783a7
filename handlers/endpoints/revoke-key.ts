import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { text } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const revokeKey = endpoint('DELETE /keys', {
  at: 'farm',
  scope: 'admin',
  tag: 'Keys',
  operationId: 'revokeKey',
  summary: 'Revokes a named key or session at once; sockets that use it are closed',
  parameters: { id: text({ description: 'The id, as GET returns it', example: '6f1c2a9b03de' }) },
  result: deletionResult,
  example: { success: true, message: 'Key 6f1c2a9b03de is revoked' },
  problems: ['key_not_found'],
  async handle({ query: { id } }, { records }) {
    const stored = await records.revokeKey(id)
    if (stored === false) throw new Problem('key_not_found', 'Key not found')
    return deletionAnswer(`Key ${id} is revoked`, stored)
  },
})
