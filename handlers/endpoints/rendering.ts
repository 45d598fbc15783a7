import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'

export const rendering = endpoint({
  method: 'GET',
  path: '/rendering',
  access: 'key',
  scope: 'read',
  tag: 'Server',
  operationId: 'getRendering',
  summary: "The host's own display rate, frames per second; 0 is off",
  parameters: {},
  result: v.object({ fps: v.number() }),
  example: { fps: 0 },
  problems: [],
  handle: async (_request, { game }) => ({ fps: await game.rendering() }),
})
