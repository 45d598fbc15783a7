import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'

export const rendering = endpoint('GET /rendering', {
  scope: 'read',
  tag: 'Server',
  operationId: 'getRendering',
  summary: docs("The host's own display rate, frames per second; 0 is off"),
  result: v.object({ fps: v.number() }),
  example: docs({ fps: 0 }),
  handle: async (_request, { game }) => ({ fps: await game.rendering() }),
})
