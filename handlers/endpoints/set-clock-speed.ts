import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { clockMultiplier } from '../game-arguments.ts'
import { numberParameter } from '../parameter.ts'

export const setClockSpeed = endpoint('POST /clock-speed', {
  at: 'farm',
  scope: 'control',
  tag: 'Time',
  operationId: 'setClockSpeed',
  summary: docs('Sets how fast the in-game clock runs until the next start'),
  parameters: {
    multiplier: numberParameter(clockMultiplier, {
      description: docs('Times the normal speed; 1 restores it'),
      example: '10',
    }),
  },
  result: v.object({ success: v.literal(true), multiplier: v.number(), effectiveMs: v.number() }),
  example: docs({ success: true, multiplier: 10, effectiveMs: 70 }),
  problems: ['server_not_ready', 'unsupported'],
  async handle({ query: { multiplier } }, { game }) {
    const effectiveMs = await game.setClockSpeed(multiplier)
    return { success: true as const, multiplier, effectiveMs }
  },
})
