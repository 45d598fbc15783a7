import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { modSide } from '../mod-record.ts'
import { changedMod, modId, modNotFound } from './delete-mod.ts'

export const changeMod = endpoint('PATCH /mods', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'changeMod',
  summary: 'Notes who needs a mod: the server alone, or the players too',
  parameters: { id: modId },
  body: jsonBody(v.strictObject({ side: modSide }), { side: 'players' }),
  result: changedMod,
  example: { success: true, message: 'Abby.MoreSeeds is for players' },
  problems: ['mod_not_found', 'unsupported', 'disk_failed'],
  async handle({ query: { id }, body: { side } }, { mods }) {
    if (!(await mods.setModSide(id, side))) throw modNotFound()
    return { success: true as const, message: `${id} is for ${sides[side]}` }
  },
})

const sides = { server: 'the server', players: 'players', unknown: 'unknown' } as const
