import * as v from 'valibot'
import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { packLinkRecord } from '../mod-record.ts'
import { shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'

const id = '6f1c2a9b03de'

export const packLinkNotFound = () =>
  new Problem('pack_link_not_found', 'This link has expired, was revoked, or is not one of this farm')

export const packLinks = endpoint('GET /mods/pack-links', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'getPackLinks',
  summary: "The links to the players' mods that have not ended, newest first, without their codes",
  result: v.object({ links: v.array(packLinkRecord) }),
  example: {
    links: [
      {
        id,
        createdAt: '2026-11-21T12:00:00.000Z',
        expiresAt: '2026-11-28T12:00:00.000Z',
        by: { id: 'api_key', name: 'API_KEY' },
      },
    ],
  },
  problems: ['unsupported'],
  handle: async (_request, { mods }) => ({ links: [...(await mods.packLinks())] }),
})

export const revokePackLink = endpoint('DELETE /mods/pack-links', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'revokePackLink',
  summary: "Revokes a link to the players' mods; its downloads end within a second",
  parameters: {
    id: shortText(64, { description: "The link's id, as GET /mods/pack-links returns it", example: id }),
  },
  result: deletionResult,
  example: { success: true, message: `Pack link ${id} is revoked` },
  problems: ['pack_link_not_found', 'unsupported'],
  async handle({ query }, { mods }) {
    const stored = await mods.revokePackLink(query.id)
    if (stored === false) throw packLinkNotFound()
    return deletionAnswer(`Pack link ${query.id} is revoked`, stored)
  },
})
