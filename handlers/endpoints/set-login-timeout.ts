import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { loginTimeout } from '../game-arguments.ts'
import { numberParameter } from '../parameter.ts'

export const setLoginTimeout = endpoint('POST /auth/timeout', {
  at: 'farm',
  scope: 'control',
  tag: 'Players',
  operationId: 'setLoginTimeout',
  summary: docs('Sets how long a player may take to log in, until the next start; 0 is unlimited'),
  parameters: {
    value: numberParameter(loginTimeout, {
      description: docs('Seconds; 0 disables the timeout'),
      example: '120',
    }),
  },
  result: v.object({
    success: v.literal(true),
    timeoutSeconds: v.number(),
    previousTimeoutSeconds: v.number(),
  }),
  example: docs({ success: true, timeoutSeconds: 60, previousTimeoutSeconds: 120 }),
  problems: ['unsupported'],
  async handle({ query: { value } }, { game }) {
    const previousTimeoutSeconds = await game.setLoginTimeout(value)
    return { success: true as const, timeoutSeconds: value, previousTimeoutSeconds }
  },
})
