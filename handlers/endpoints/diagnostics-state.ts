import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import type { diagnosticsQuery } from '../game-arguments.ts'
import { optional, text } from '../parameter.ts'

export const diagnosticsState = endpoint('GET /diagnostics/state', {
  scope: 'read',
  tag: 'Diagnostics',
  operationId: 'getDiagnosticsState',
  summary: docs("The game's own record of its internal state, for bug reports"),
  parameters: {
    masterFlag: optional(
      text({
        description: docs('A mail flag: `masterHasFlag` says whether the host has it'),
        example: 'ccPantry',
      }),
    ),
    masterEvent: optional(
      text({
        description: docs('An event id: `masterHasEvent` says whether the host saw it'),
        example: '611439',
      }),
    ),
    masterFriendKey: optional(
      text({
        description: docs("A villager: `masterShadowFriendshipPoints` is the host's friendship"),
        example: 'Krobus',
      }),
    ),
  } satisfies Record<(typeof diagnosticsQuery)[number], unknown>,
  result: v.record(v.string(), v.unknown()),
  example: docs({
    capturedAt: '2026-11-21T12:00:00.000Z',
    otherFarmerUids: [6208260877024290921n],
    onlineFarmerCount: 1,
    masterName: 'Host',
    failedFields: [],
  }),
  problems: ['unsupported'],
  handle: ({ query }, { game }) => game.diagnostics(Object.entries(query)),
})
