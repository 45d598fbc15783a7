import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { modUpdate } from '../mod-record.ts'

export const modUpdates = endpoint('GET /mods/updates', {
  at: 'farm',
  scope: 'read',
  tag: 'Mods',
  operationId: 'getModUpdates',
  summary: "Newer versions of the mods, by SMAPI's update API; an answer is kept for six hours",
  result: v.object({ updates: v.array(modUpdate) }),
  example: {
    updates: [
      {
        id: 'Abby.MoreSeeds',
        installed: '1.2.0',
        version: '1.3.0',
        url: 'https://www.nexusmods.com/stardewvalley/mods/1',
      },
    ],
  },
  budget: 30_000,
  problems: ['unsupported', 'updates_unavailable', 'disk_failed'],
  handle: async (_request, { mods }) => ({ updates: [...(await mods.modUpdates())] }),
})
