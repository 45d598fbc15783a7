/** What the API answers while the game is away or stands still (contract sections 2 and 3). */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem, writes } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer } from '../shared-server.ts'

export function gameAwayContract({ start }: RuntimeUnderTest): void {
  describe('the game away', () => {
    const away = async () => {
      const server = await ownServer(start)
      const before = (await askWithKey(server, 'GET', '/status')).json
      await server.farm.goAway()
      await eventually(async () => expect((await ask(server, 'GET', '/ready')).status).toBe(503))
      return { server, before }
    }

    test('GET /health is 200 all the same, degraded and gameAvailable false', async () => {
      const { server } = await away()
      const { status, json } = await ask(server, 'GET', '/health')
      expect([status, json]).toEqual([
        200,
        expect.objectContaining({ status: 'degraded', gameAvailable: false }),
      ])
    })

    test('GET /ready is 503 game_unavailable', async () => {
      const { server } = await away()
      expectProblem(await ask(server, 'GET', '/ready'), 503, 'game_unavailable', { retry: true })
    })

    test('GET /status: the last values with isOnline false and their own lastUpdated', async () => {
      const { server, before } = await away()
      const { status, json } = await ask(server, 'GET', '/status')
      const { farmName, day, season, lastUpdated } = before as Record<string, unknown>
      expect([status, json]).toEqual([
        200,
        expect.objectContaining({ isOnline: false, farmName, day, season, lastUpdated: expect.any(String) }),
      ])
      expect(Date.parse((json as { lastUpdated: string }).lastUpdated)).toBeGreaterThanOrEqual(
        Date.parse(String(lastUpdated)),
      )
    })

    test('every other read and every write is 503 game_unavailable with Retry-After', async () => {
      const { server } = await away()
      const paths = ['/players', '/invite-code', '/farmhands', '/settings', '/cabins', '/rendering']
      const calls = [
        ...paths.map((path) => ['GET', path]),
        ['POST', '/rendering?fps=1'],
        ['POST', '/time?value=900'],
        ['POST', '/roles/admin?name=Abby'],
        ['DELETE', '/farmhands?playerId=1'],
        ['POST', '/farmhands/rebind?playerId=1&identity=1'],
      ] as const
      for (const [method = '', path = ''] of calls) {
        const reply = await askWithKey(server, method, path)
        expectProblem(reply, 503, 'game_unavailable', { retry: true })
        expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      }
    })

    test('a bad parameter is 400 and a missing key 401 whether the game is there or not', async () => {
      const { server } = await away()
      for (const [method, path] of writes) {
        expect((await askWithKey(server, method, path)).status).toBe(400)
        expect((await ask(server, method, path)).status).toBe(401)
      }
    })

    test('when the game is back everything is', async () => {
      const { server } = await away()
      await server.farm.comeBack()
      await eventually(async () => {
        expect((await ask(server, 'GET', '/ready')).status).toBe(200)
        expect((await askWithKey(server, 'GET', '/players')).status).toBe(200)
        expect((await ask(server, 'GET', '/status')).json).toMatchObject({ isOnline: true })
      })
    })
  })

  describe('the game frozen', () => {
    test('GET /health is degraded with isFrozen; a write that times out says that its outcome is unknown, and asks for no retry', async () => {
      const server = await ownServer(start)
      await server.farm.freeze()
      await eventually(async () =>
        expect((await ask(server, 'GET', '/health')).json).toMatchObject({
          status: 'degraded',
          isFrozen: true,
        }),
      )
      const reply = await askWithKey(server, 'POST', '/time?value=900')
      expectProblem(reply, 504, 'game_timeout')
      expect(reply.headers.get('retry-after')).toBeNull()
      expect(reply.json).toMatchObject({ error: expect.stringContaining('unknown') })
      await server.farm.thaw()
    })
  })
}
