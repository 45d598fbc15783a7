import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { Problem, retryAfter } from '../problem.ts'

export const ready = endpoint('GET /ready', {
  access: 'public',
  tag: 'Server',
  operationId: 'getReady',
  summary: docs('Whether the game is reachable; for load balancers and orchestrators'),
  isProbe: true,
  result: v.object({ ready: v.literal(true) }),
  example: docs({ ready: true }),
  problems: ['game_unavailable'],
  handle(_request, { game }) {
    // This path needs no key, so the answer does not name the cause; the log does, and so do errors of paths that need one.
    if (!game.health().gameAvailable)
      throw new Problem('game_unavailable', 'The game server is not available', { retryAfter })
    return { ready: true } as const
  },
})
