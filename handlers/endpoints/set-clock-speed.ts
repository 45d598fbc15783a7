import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { decimal } from '../parameter.ts'

export const setClockSpeed = endpoint({
  method: 'POST',
  path: '/clock-speed',
  access: 'key',
  tag: 'Time',
  operationId: 'setClockSpeed',
  summary: 'Sets how fast the in-game clock runs until the next start',
  parameters: {
    // A game minute takes 700 ms and at least one: faster than this changes nothing.
    multiplier: decimal(0.01, 1000, {
      description: 'Times the normal speed; 1 restores it',
      example: '10',
    }),
  },
  result: v.object({ success: v.literal(true), multiplier: v.number(), effectiveMs: v.number() }),
  example: { success: true, multiplier: 10, effectiveMs: 70 },
  problems: ['server_not_ready', 'unsupported'],
  async handle({ query: { multiplier } }, game) {
    const effectiveMs = await game.setClockSpeed(multiplier)
    return { success: true as const, multiplier, effectiveMs }
  },
})
