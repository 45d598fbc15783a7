/** The badge of a farm. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { ask, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer } from '../shared-server.ts'

export function badgeContract({ start }: RuntimeUnderTest): void {
  describe('GET /badge.svg', () => {
    test('anyone sees farm, day, players and `open`, for 30 seconds; `not open` while no one can join', async () => {
      const server = await ownServer(start)
      const badge = () => ask(server, 'GET', '/badge.svg')
      const { farmName, season, day, year, playerCount, maxPlayers } = (await ask(server, 'GET', '/status'))
        .json as Record<string, unknown>
      const facts = `${farmName}: ${season} ${day}, year ${year} · ${playerCount}/${maxPlayers} players`
      const open = await badge()
      expect([open.status, open.headers.get('content-type'), open.headers.get('cache-control')]).toEqual([
        200,
        'image/svg+xml',
        'max-age=30',
      ])
      expect(open.text).toContain(`<title>${facts} · open</title>`)
      await server.farm.festival(true)
      await eventually(async () => expect((await badge()).text).toContain(`${facts} · not open</title>`))
      await server.farm.goOffline()
      await eventually(async () => expect((await ask(server, 'GET', '/status')).status).toBe(503))
      const offline = await badge()
      expect(offline.status).toBe(200)
      expect(offline.text).toContain(`0/${maxPlayers} players · not open</title>`)
    })

    test('PUBLIC_BADGE=false turns it off: 404', async () => {
      const server = await ownServer(start, { publicBadge: false })
      expectProblem(await ask(server, 'GET', '/badge.svg'), 404, 'not_found')
    })
  })
}
