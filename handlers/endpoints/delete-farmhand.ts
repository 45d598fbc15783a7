import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { abilities } from '../game-abilities.ts'
import { calledByName, changePerson, onePerson, personParameters, personTarget } from '../person.ts'

export const deleteFarmhand = endpoint('DELETE /farmhands', {
  at: 'farm',
  scope: 'admin',
  tag: 'Farmhands',
  operationId: 'deleteFarmhand',
  summary: docs('Deletes an offline farmhand and frees its cabin; saved when the day ends'),
  parameters: personParameters,
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: docs({ success: true, message: "Farmhand 'Abby' deleted successfully" }),
  refusals: {},
  needsOne: true,
  budget: abilities.deleteFarmhand.budget,
  problems: [
    'farmhand_not_found',
    'farmhand_online',
    'save_in_progress',
    'ambiguous_name',
    'server_not_ready',
  ],
  check: ({ query }) => void onePerson(query),
  async handle({ query }, { game }) {
    const people = async () => (await game.farmhands()).farmhands
    const asked = await personTarget(query, people, 'farmhand_not_found')
    const farmhand = query.playerId === undefined ? asked : await calledByName(asked, people)
    await changePerson(farmhand, people, 'idText or name', () => game.deleteFarmhand(farmhand))
    return { success: true as const, message: `Farmhand ${farmhand.label} deleted successfully` }
  },
})
