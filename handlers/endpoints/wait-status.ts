import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { status as record } from '../game-records.ts'
import { offlineProblem, presentStatus } from '../offline-status.ts'
import { boolean, integer, optional } from '../parameter.ts'
import { maxWait, meets, since, statusFilters, timeout, waited } from '../wait-parameters.ts'
import { status } from './status.ts'

export const waitStatus = endpoint('GET /wait/status', {
  scope: 'read',
  tag: 'Waiting',
  operationId: 'waitForStatus',
  summary: docs('The status as soon as it matches; 408 without a body when it does not in time'),
  parameters: {
    since,
    timeout,
    isReady: optional(boolean({ description: docs('Whether players can join') })),
    dayTransitionComplete: optional(
      boolean({ description: docs('Whether the new day has begun, after the night was saved') }),
    ),
    isPaused: optional(boolean({ description: docs('Whether the game is paused') })),
    day: optional(integer(1, 28, { description: docs('Day of the season') })),
    playerCount: optional(integer(0, 1_000_000, { description: docs('Players connected, exactly') })),
  },
  result: record,
  example: status.example,
  budget: maxWait,
  problems: ['wait_timeout'],
  problemMembers: [offlineProblem(status.example)],
  handle(request, { game }) {
    const { query } = request
    return waited(request, async () => {
      const now = await presentStatus(game)
      const looked = Object.entries(statusFilters(now)).filter(([name]) => name in query)
      if (looked.length > 0) request.filtered(Object.fromEntries(looked))
      return now.version > (query.since ?? 0) &&
        meets(query.isReady, now.isReady) &&
        meets(query.dayTransitionComplete, now.dayTransitionComplete) &&
        meets(query.isPaused, now.isPaused) &&
        meets(query.day, now.day) &&
        meets(query.playerCount, now.playerCount)
        ? now
        : undefined
    })
  },
})
