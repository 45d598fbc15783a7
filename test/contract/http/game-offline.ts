/** The API's answers while the game is offline or frozen (docs/api.md). */
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem, writes } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'

export function gameOfflineContract({ start, exempt = [] }: RuntimeUnderTest): void {
  describe('while the game is offline', () => {
    const server = sharedServer(start)
    let before: Record<string, unknown> = {}
    beforeAll(async () => {
      before = (await askWithKey(server(), 'GET', '/status')).json as Record<string, unknown>
      await server().farm.goOffline()
      if (!exempt.includes('ready'))
        await eventually(async () => expect((await ask(server(), 'GET', '/ready')).status).toBe(503))
      await eventually(async () => expect((await ask(server(), 'GET', '/status')).status).toBe(503))
    })

    test('GET /health is still 200, degraded and gameAvailable false', async () => {
      const { status, json } = await ask(server(), 'GET', '/health')
      expect([status, json]).toEqual([
        200,
        expect.objectContaining({ status: 'degraded', gameAvailable: false }),
      ])
    })

    if (!exempt.includes('ready'))
      test('GET /ready is 503 game_unavailable', async () => {
        expectProblem(await ask(server(), 'GET', '/ready'), 503, 'game_unavailable', { retry: true })
      })

    test('GET /status is 503 game_unavailable with Retry-After, and its body has the last name, date and settings of the farm but no players or codes', async () => {
      expect(before).toMatchObject({ isReady: true, steamInviteCode: expect.any(String) })
      expect(before['playerCount']).toBeGreaterThan(0)
      for (const askStatus of [ask, askWithKey]) {
        const reply = await askStatus(server(), 'GET', '/status')
        expectProblem(reply, 503, 'game_unavailable', {
          retry: true,
          playerCount: 0,
          maxPlayers: before['maxPlayers'],
          serverVersion: before['serverVersion'],
          gameVersion: before['gameVersion'],
          isOnline: false,
          isReady: false,
          dayTransitionComplete: false,
          lastUpdated: expect.any(String),
          farmName: before['farmName'],
          day: before['day'],
          season: before['season'],
          year: before['year'],
          timeOfDay: before['timeOfDay'],
          farmTypeKey: before['farmTypeKey'],
          isPaused: false,
          version: before['version'],
        })
        expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
        expect(reply.headers.get('access-control-allow-origin')).toBe('*')
      }
    })

    test('HEAD /status is 503 with the same headers and no body', async () => {
      const [head, get] = [await ask(server(), 'HEAD', '/status'), await ask(server(), 'GET', '/status')]
      expect([head.status, head.text]).toEqual([503, ''])
      for (const name of ['retry-after', 'content-type'])
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    })

    test('lastUpdated of an offline game is the time of its last good answer, and stands still', async () => {
      const lastUpdated = async () =>
        (await askWithKey(server(), 'GET', '/status')).json as { lastUpdated: string }
      const first = await lastUpdated()
      expect(Date.parse(first.lastUpdated)).toBeGreaterThanOrEqual(Date.parse(String(before['lastUpdated'])))
      expect(Date.parse(first.lastUpdated)).toBeLessThanOrEqual(Date.now())
      await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(first.lastUpdated) + 1500))
      expect(await lastUpdated()).toEqual(first)
    })

    test('GET /wait/status is answered at once, like GET /status', async () => {
      const waited = await askWithKey(server(), 'GET', '/wait/status?isReady=false&timeout=10000')
      const { status, json } = await askWithKey(server(), 'GET', '/status')
      expect([waited.status, waited.json]).toEqual([status, json])
      expect(waited.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    })

    test('GET /wait/status that waits when the game goes offline ends with the answer of GET /status', async () => {
      const server = await ownServer(start)
      const waiting = askWithKey(server, 'GET', '/wait/status?playerCount=7&timeout=10000')
      await server.farm.goOffline()
      const waited = await waiting
      expect([waited.status, waited.json]).toEqual([
        503,
        expect.objectContaining({ code: 'game_unavailable', isOnline: false }),
      ])
    })

    test('every other read and every write is 503 game_unavailable with Retry-After', async () => {
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
        const reply = await askWithKey(server(), method, path)
        expectProblem(reply, 503, 'game_unavailable', { retry: true })
        expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      }
    })

    test('a bad parameter is 400 and a missing key 401, as with a running game', async () => {
      for (const [method, path] of writes) {
        expect((await askWithKey(server(), method, path)).status).toBe(400)
        expect((await ask(server(), method, path)).status).toBe(401)
      }
    })

    test('when the game is back all endpoints work again', async () => {
      await server().farm.comeBack()
      await eventually(async () => {
        expect((await ask(server(), 'GET', '/ready')).status).toBe(200)
        expect((await askWithKey(server(), 'GET', '/players')).status).toBe(200)
        const { status, json } = await ask(server(), 'GET', '/status')
        expect([status, json]).toEqual([200, expect.objectContaining({ isOnline: true })])
      })
    })
  })

  describe('while the game is frozen', () => {
    test('GET /health is degraded with isFrozen; a write that times out says that its outcome is unknown, without retry', async () => {
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
