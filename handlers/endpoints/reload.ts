import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { abilities } from '../game-abilities.ts'
import { requireNoPlayers } from '../no-players.ts'

export const reload = endpoint('POST /reload', {
  at: 'farm',
  scope: 'admin',
  tag: 'Server',
  operationId: 'reloadWorld',
  summary: docs('Reads the settings file again and reloads the save while no one is connected'),
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: docs({ success: true, message: 'World reloaded' }),
  budget: abilities.reload.budget,
  problems: ['players_connected', 'server_not_ready', 'restart_needed', 'unsupported'],
  async handle(_request, { game }) {
    await requireNoPlayers(game)
    return { success: true as const, message: await game.reload() }
  },
})
