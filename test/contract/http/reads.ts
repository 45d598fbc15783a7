/** Every read, one by one. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { int64 } from '../../../handlers/int64.ts'
import { eventually } from '../../wait.ts'
import { ask, askWithKey } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

const playersBody = v.object({
  players: v.array(
    v.looseObject({
      id: int64,
      name: v.string(),
      isOnline: v.boolean(),
      connection: v.optional(v.looseObject({ joinPath: v.string(), identity: v.optional(v.string()) })),
    }),
  ),
  version: v.number(),
})
const farmhandsBody = v.object({
  farmhands: v.array(
    v.looseObject({
      id: int64,
      name: v.string(),
      isCustomized: v.boolean(),
      claimedVia: v.optional(v.string()),
    }),
  ),
  version: v.number(),
})

export function readContract({ start }: RuntimeUnderTest): void {
  describe('reads', () => {
    const server = sharedServer(start)
    const read = async (path: string) => (await askWithKey(server(), 'GET', path)).json
    const players = async () => v.parse(playersBody, await read('/players')).players
    const farmhands = async () => v.parse(farmhandsBody, await read('/farmhands')).farmhands

    test('GET /status: with PUBLIC_INVITE_CODES the codes are shown to anyone', async () => {
      const open = await ownServer(start, { publicInviteCodes: true })
      expect((await ask(open, 'GET', '/status')).json).toMatchObject({
        steamInviteCode: expect.stringMatching(/^S/),
        gogInviteCode: expect.stringMatching(/^G/),
      })
    })

    test('GET /players: if the bridge knows it, a player has a connection', async () => {
      await server().farm.knock({ id: 4801n, name: 'Relayed', connectionId: 'SN_76561198000000801' })
      await server().farm.knock({ id: 4802n, name: 'Galactic', connectionId: 'GN_46000000000000802' })
      await eventually(async () => {
        const here = await players()
        expect(here).toContainEqual(
          expect.objectContaining({
            id: 4801n,
            connection: { joinPath: 'relay', identity: '76561198000000801' },
          }),
        )
        expect(here).toContainEqual(
          expect.objectContaining({
            id: 4802n,
            connection: { joinPath: 'galaxy', identity: '46000000000000802' },
          }),
        )
      })
      const hands = await farmhands()
      expect(hands).toContainEqual(expect.objectContaining({ id: 4801n, claimedVia: 'relay' }))
      expect(hands).toContainEqual(expect.objectContaining({ id: 4802n, claimedVia: 'galaxy' }))
    })

    test('GET /metrics: Prometheus text', async () => {
      const { text, headers } = await askWithKey(server(), 'GET', '/metrics')
      expect(headers.get('content-type')).toMatch(/^text\/plain/)
      expect(text).toMatch(/^farmgate_http_requests_total\{/m)
      expect(text).toMatch(/^farmgate_ws_clients(\{farm="[^"]+"\})? \d/m)
    })

    test('X-Predicate-Changed-At-Ms-Ago is only on the answer of a long poll that gave a filter and succeeded', async () => {
      const changed = async (path: string) =>
        (await askWithKey(server(), 'GET', path)).headers.get('x-predicate-changed-at-ms-ago')
      expect(await changed('/wait/status?isPaused=false')).toMatch(/^\d+$/)
      for (const path of [
        '/wait/status',
        '/wait/status?day=28&timeout=1',
        '/wait/health?ready=true',
        '/status',
      ])
        expect([path, await changed(path)]).toEqual([path, null])
    })

    test('X-Snapshot-Age-Ms is on every answer once the game was seen', async () => {
      for (const path of ['/health', '/players', '/nothing'])
        expect((await askWithKey(server(), 'GET', path)).headers.get('x-snapshot-age-ms')).toMatch(/^\d+$/)
    })
  })
}
