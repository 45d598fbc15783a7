import { endpoint } from '../endpoint.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'
import { operationResult, stopGame } from './host-actions.ts'

export const cancelHostOperation = endpoint('DELETE /host/operations', {
  at: 'farm',
  scope: 'control',
  tag: 'Host',
  operationId: 'cancelHostOperation',
  summary: 'Cancels an operation that has not begun to stop the game',
  parameters: {
    id: shortText(64, { description: 'The id, as GET returns it', example: '6f1c2a9b03de' }),
  },
  result: operationResult,
  example: {
    operation: {
      ...stopGame.example.operation,
      state: 'cancelled',
      endedAt: '2026-11-21T12:01:00.000Z',
    },
  },
  problems: ['operation_not_found', 'too_late', 'unsupported'],
  async handle({ query: { id } }, { host }) {
    const operation = await host.cancelOperation(id)
    if (operation === undefined) throw new Problem('operation_not_found', 'Operation not found')
    return { operation }
  },
})
