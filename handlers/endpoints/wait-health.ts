import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { boolean, optional } from '../parameter.ts'
import { maxWait, timeout, waited } from '../wait-parameters.ts'
import { health, healthRecord } from './health.ts'

export const waitHealth = endpoint('GET /wait/health', {
  scope: 'read',
  tag: 'Waiting',
  operationId: 'waitForHealth',
  summary: docs(
    'The health, with `ready=true` as soon as the game ticks; 408 without a body when it does not in time',
  ),
  parameters: {
    timeout,
    ready: optional(boolean({ description: docs('Whether to wait until the game ticks and is not frozen') })),
  },
  result: health.result,
  example: health.example,
  budget: maxWait,
  problems: ['wait_timeout'],
  handle(request, { game, records }) {
    return waited(request, async () => {
      const now = healthRecord(game.health(), records.state(), request.now)
      const ticks = now.status === 'ok' && now.tickCount > 0
      return request.query.ready !== true || ticks ? now : undefined
    })
  },
})
