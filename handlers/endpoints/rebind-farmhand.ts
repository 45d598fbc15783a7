import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { identity } from '../game-arguments.ts'
import { playerId } from '../parameter.ts'
import { changePerson } from '../person.ts'

export const rebindFarmhand = endpoint('POST /farmhands/rebind', {
  at: 'farm',
  scope: 'admin',
  tag: 'Farmhands',
  operationId: 'rebindFarmhand',
  summary: docs('Gives a farmhand to the account of another join path, named as in the connect log'),
  parameters: {
    playerId: { ...playerId, description: docs('The farmhand'), example: '6208260877024290921' },
    identity: {
      read: (text: string): string | undefined => (identity.accepts(text) ? text : undefined),
      expected: identity.expected,
      description: docs('The account that owns it from now on, decimal'),
      required: true,
      schema: { type: 'string', pattern: '^[0-9]{1,20}$' },
      example: '76561198000000001',
    },
  },
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: docs({
    success: true,
    message: 'Farmhand id=6208260877024290921 now belongs to 76561198000000001',
  }),
  problems: ['farmhand_not_found', 'farmhand_online', 'save_in_progress', 'server_not_ready', 'unsupported'],
  async handle({ query }, { game }) {
    const farmhand = { id: query.playerId, label: `id=${query.playerId}` }
    const people = async () => (await game.farmhands()).farmhands
    await changePerson(farmhand, people, 'idText', () => game.rebindFarmhand(farmhand, query.identity))
    return { success: true as const, message: `Farmhand ${farmhand.label} now belongs to ${query.identity}` }
  },
})
