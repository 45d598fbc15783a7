import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { fps } from '../game-arguments.ts'
import { numberParameter } from '../parameter.ts'

export const setRendering = endpoint('POST /rendering', {
  at: 'farm',
  scope: 'control',
  tag: 'Server',
  operationId: 'setRendering',
  summary: docs("Sets the host's own display rate until the next start"),
  parameters: {
    fps: numberParameter(fps, {
      description: docs('Frames per second; 0 disables rendering'),
      example: '15',
    }),
  },
  result: v.object({
    success: v.literal(true),
    fps: v.number(),
    previousFps: v.number(),
    message: v.string(),
  }),
  example: docs({ success: true, fps: 15, previousFps: 0, message: 'Rendering enabled at 15 fps' }),
  problems: ['server_not_ready'],
  async handle({ query: { fps } }, { game }) {
    const previousFps = await game.setRendering(fps)
    const message = fps === 0 ? 'Rendering disabled' : `Rendering enabled at ${fps} fps`
    return { success: true as const, fps, previousFps, message }
  },
})
