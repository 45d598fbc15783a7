import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { withoutKey } from '../key-holder.ts'
import { packLink } from '../mod-record.ts'

const days = "Member 'expiresInDays' must be a whole number from 1 to 365"

export const createPackLink = endpoint('POST /mods/pack-links', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'createPackLink',
  summary: "Makes a link to the players' mods that needs no key; this answer is the only one that shows it",
  body: jsonBody(
    v.strictObject({
      expiresInDays: v.pipe(v.number(days), v.integer(days), v.minValue(1, days), v.maxValue(365, days)),
    }),
    { expiresInDays: 7 },
  ),
  status: 201,
  result: packLink,
  example: {
    id: '6f1c2a9b03de',
    url: 'https://farm.example/mods/shared-pack?link=Zx3Vb7Qm',
    expiresAt: '2026-11-28T12:00:00.000Z',
  },
  problems: ['unsupported', 'disk_failed', 'too_many_pack_links'],
  handle({ body: { expiresInDays }, holder }, { mods }) {
    const { id, name } = holder?.account ?? holder ?? withoutKey
    return mods.makePackLink(expiresInDays, { id, name })
  },
})
