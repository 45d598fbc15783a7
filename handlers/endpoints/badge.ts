import * as v from 'valibot'
import { badge as badgeOf } from '../badge.ts'
import { docs } from '../described.ts'
import { streamEndpoint } from '../endpoint.ts'
import { presentMoment } from '../game-moment.ts'
import { Problem } from '../problem.ts'
import { Stream } from '../stream.ts'

const type = 'image/svg+xml'

export const badge = streamEndpoint('GET /badge.svg', {
  access: 'public',
  tag: 'Server',
  operationId: 'getBadge',
  summary: docs(
    'The farm, its day, its players and whether it is open as a small picture; 404 with `PUBLIC_BADGE=false`',
  ),
  stream: { type, description: docs('A picture that may be kept for 30 seconds'), schema: v.string() },
  async handle({ publicBadge }, { game }) {
    if (!publicBadge) throw new Problem('not_found', 'The badge is turned off (PUBLIC_BADGE)')
    const { status, moment } = await presentMoment(game)
    return new Stream(badgeOf(status, moment), type, { headers: { 'Cache-Control': 'max-age=30' } })
  },
})
