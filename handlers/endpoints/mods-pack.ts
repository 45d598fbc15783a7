import { streamEndpoint } from '../endpoint.ts'
import { fileStream } from '../file-stream.ts'
import { modBudgets } from '../mods.ts'
import { shortText } from '../parameter.ts'
import { packLinkNotFound } from './pack-links.ts'

const stream = {
  type: 'application/zip',
  description: 'The zip, with `SHA256SUMS`',
  part: 'The requested range',
} as const
const problems = ['unsupported', 'range_not_satisfiable', 'disk_failed', 'disk_low'] as const
const name = 'mods'

export const modsPack = streamEndpoint('GET /mods/pack', {
  at: 'farm',
  scope: 'read',
  tag: 'Mods',
  operationId: 'getModsPack',
  summary:
    'A zip of the mods that players need, and of those of which this is unknown; a `Range` header selects a part',
  stream,
  problems,
  budget: modBudgets.pack,
  handle: async ({ range }, { mods }) => fileStream(await mods.modsPack(), { name, range }),
})

export const sharedPack = streamEndpoint('GET /mods/shared-pack', {
  at: 'farm',
  access: 'public',
  tag: 'Mods',
  operationId: 'getSharedModsPack',
  summary: 'The same zip for the holder of a link, without a key; it ends when the link is revoked',
  parameters: {
    link: shortText(128, { description: 'The code of the link', example: 'Zx3Vb7Qm' }),
  },
  stream,
  problems: ['pack_link_not_found', ...problems, 'game_unavailable'],
  budget: modBudgets.pack,
  async handle({ query: { link }, range }, { mods }) {
    const id = await mods.packLinkOf(link)
    if (id === undefined) throw packLinkNotFound()
    return fileStream(await mods.modsPack(), {
      name,
      range,
      holder: `link ${id}`,
      isGood: async () => (await mods.packLinkOf(link)) !== undefined,
    })
  },
})
