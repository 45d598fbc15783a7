import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { int64 } from '../int64.ts'
import { changePerson, onePerson, personParameters, personTarget } from '../person.ts'

export const grantAdmin = endpoint('POST /roles/admin', {
  at: 'farm',
  scope: 'admin',
  tag: 'Players',
  operationId: 'grantAdmin',
  summary: docs('Makes a player an admin, connected or not; granting twice changes nothing'),
  parameters: personParameters,
  result: v.object({
    success: v.literal(true),
    playerId: int64,
    playerName: v.string(),
    message: v.string(),
  }),
  example: docs({
    success: true,
    playerId: 6208260877024290921n,
    playerName: 'Abby',
    message: "Admin role granted to 'Abby'",
  }),
  refusals: { playerId: 0n },
  needsOne: true,
  problems: ['player_not_found', 'ambiguous_name', 'server_not_ready', 'save_in_progress'],
  check: ({ query }) => void onePerson(query),
  async handle({ query }, { game }) {
    // Connected players are searched too: the list of farmhands can be older than a player who just joined.
    const people = async () => {
      const [{ farmhands }, { players }] = await Promise.all([game.farmhands(), game.players()])
      return [...farmhands, ...players]
    }
    const player = await personTarget(query, people, 'player_not_found')
    const playerName = await changePerson(player, people, 'idText or name', () => game.grantAdmin(player))
    return {
      success: true as const,
      playerId: player.id,
      playerName,
      message: `Admin role granted to '${playerName}'`,
    }
  },
})
