import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { GameError } from '../game-error.ts'

export const ready = endpoint({
  method: 'GET',
  path: '/ready',
  access: 'public',
  tag: 'Server',
  operationId: 'getReady',
  summary: 'Whether the game is reachable; for load balancers and orchestrators',
  parameters: {},
  result: v.object({ ready: v.literal(true) }),
  example: { ready: true },
  problems: ['game_unavailable'],
  handle(_request, game) {
    if (!game.health().gameAvailable) throw new GameError({ kind: 'unavailable' })
    return { ready: true } as const
  },
})
