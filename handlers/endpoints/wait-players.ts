import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { players as record } from '../game-records.ts'
import { optional, playerId } from '../parameter.ts'
import { maxWait, playerFilter, since, timeout, waited } from '../wait-parameters.ts'
import { players } from './players.ts'

export const waitPlayers = endpoint('GET /wait/players', {
  scope: 'read',
  tag: 'Waiting',
  operationId: 'waitForPlayers',
  summary: docs('The players as soon as they match; 408 without a body when they do not in time'),
  parameters: {
    since,
    timeout,
    playerId: optional({ ...playerId, description: docs('A player who is connected') }),
  },
  result: record,
  example: players.example,
  budget: maxWait,
  problems: ['wait_timeout'],
  handle(request, { game }) {
    const { query } = request
    return waited(request, async () => {
      const now = await game.players()
      const isThere = query.playerId === undefined || now.players.some(({ id }) => id === query.playerId)
      if (query.playerId !== undefined) request.filtered({ [playerFilter(query.playerId)]: isThere })
      return now.version > (query.since ?? 0) && isThere ? now : undefined
    })
  },
})
