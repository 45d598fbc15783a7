import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { modBudgets } from '../mods.ts'
import { boolean, optional, shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'

/** Also of the other changes of one mod. */
export const modId = shortText(1024, {
  description: "The mod's id in any case, or its folder, as GET /mods returns them",
  example: 'Abby.MoreSeeds',
})
export const force = optional(
  boolean({ description: 'Also where enabled mods need this one', example: 'true' }),
)
export const modNotFound = () => new Problem('mod_not_found', 'Mod not found')
export const changedMod = v.object({ success: v.literal(true), message: v.string() })
export const neededMembers = {
  code: 'mod_needed',
  schema: v.object({ neededBy: v.array(v.string()) }),
  example: { neededBy: ['Abby.MoreSeeds'] },
} as const

/** The error codes of the changes of one mod. */
export const changeProblems = [
  'mod_not_found',
  'save_in_progress',
  'unsupported',
  'disk_failed',
  'disk_low',
] as const

export const deleteMod = endpoint('DELETE /mods', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'deleteMod',
  summary: 'Deletes a mod with its settings',
  parameters: { id: modId, force },
  result: changedMod,
  example: { success: true, message: 'Abby.MoreSeeds is deleted' },
  budget: modBudgets.change,
  problems: [...changeProblems, 'mod_needed'],
  problemMembers: [neededMembers],
  async handle({ query: { id, force: isForced = false } }, { mods }) {
    if (!(await mods.deleteMod(id, isForced))) throw modNotFound()
    return { success: true as const, message: `${id} is deleted` }
  },
})
