import { streamEndpoint } from '../endpoint.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'
import { Stream } from '../stream.ts'

const type = 'application/zip'
const stream = { type, description: 'The zip, with `SHA256SUMS`' } as const
const headers = { 'Content-Disposition': 'attachment; filename="mods.zip"' } as const

export const modsPack = streamEndpoint('GET /mods/pack', {
  at: 'farm',
  scope: 'read',
  tag: 'Mods',
  operationId: 'getModsPack',
  summary: 'A zip of the mods that players need, and of those of which this is unknown',
  stream,
  problems: ['unsupported', 'disk_failed'],
  handle: async (_request, { mods }) => new Stream(await mods.modsPack(), type, { headers }),
})

export const sharedPack = streamEndpoint('GET /mods/shared-pack', {
  at: 'farm',
  access: 'public',
  tag: 'Mods',
  operationId: 'getSharedModsPack',
  summary: 'The same zip for the holder of a link, without a key',
  parameters: {
    link: shortText(128, { description: 'The code of the link', example: 'Zx3Vb7Qm' }),
  },
  stream,
  problems: ['pack_link_not_found', 'unsupported', 'disk_failed', 'game_unavailable'],
  async handle({ query: { link } }, { mods }) {
    if (!(await mods.isPackLink(link)))
      throw new Problem('pack_link_not_found', 'This link has expired, or is not one of this farm')
    return new Stream(await mods.modsPack(), type, { headers })
  },
})
