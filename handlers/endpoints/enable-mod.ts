import { endpoint } from '../endpoint.ts'
import { modBudgets } from '../mods.ts'
import { changedMod, changeProblems, force, modId, modNotFound, neededMembers } from './delete-mod.ts'

export const enableMod = endpoint('POST /mods/enable', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'enableMod',
  summary: 'Lets the game load a mod at its next start',
  parameters: { id: modId },
  result: changedMod,
  example: { success: true, message: 'Abby.MoreSeeds is enabled' },
  budget: modBudgets.change,
  problems: changeProblems,
  async handle({ query: { id } }, { mods }) {
    if (!(await mods.enableMod(id))) throw modNotFound()
    return { success: true as const, message: `${id} is enabled` }
  },
})

export const disableMod = endpoint('POST /mods/disable', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'disableMod',
  summary: 'Keeps a mod, without the game loading it at its next start',
  parameters: { id: modId, force },
  result: changedMod,
  example: { success: true, message: 'Abby.MoreSeeds is disabled' },
  budget: modBudgets.change,
  problems: [...changeProblems, 'mod_needed'],
  problemMembers: [neededMembers],
  async handle({ query: { id, force: isForced = false } }, { mods }) {
    if (!(await mods.disableMod(id, isForced))) throw modNotFound()
    return { success: true as const, message: `${id} is disabled` }
  },
})
