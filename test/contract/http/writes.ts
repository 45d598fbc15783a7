/** Every write and the state after it. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function writeContract({ start }: RuntimeUnderTest): void {
  describe('writes', () => {
    const server = sharedServer(start)
    let lastId = 5_000n
    const newId = () => {
      lastId += 1n
      return lastId
    }
    const call = (method: string, path: string) => askWithKey(server(), method, path)
    /** A connected player with a farmhand. */
    const online = async (name: string, id = newId()) => {
      await server().farm.join({ id, name })
      await eventually(async () => expect((await call('GET', '/players')).text).toContain(`"id":${id},`))
      return id
    }
    const offline = async (name: string, id = newId()) => {
      await online(name, id)
      await server().farm.leave(id)
      await eventually(async () => expect((await call('GET', '/players')).text).not.toContain(`"id":${id},`))
      return id
    }

    test('POST /roles/admin by playerId, exact beyond 2^53, connected or not, and twice', async () => {
      const id = await offline('Far away', -6_208_260_877_024_290_921n)
      for (const _time of [1, 2]) {
        const { text, status } = await call('POST', `/roles/admin?playerId=${id}`)
        expect(status).toBe(200)
        expect(text).toContain('"playerId":-6208260877024290921,')
      }
      expect(server().farm.isAdmin(id)).toBe(true)
    })

    test('a name never matches the host', async () => {
      const { hostId } = server().farm
      expectProblem(await call('POST', `/roles/admin?playerId=${hostId}`), 404, 'player_not_found')
      expectProblem(await call('DELETE', `/farmhands?playerId=${hostId}`), 404, 'farmhand_not_found')
    })

    test('DELETE /farmhands by name and by playerId deletes an offline farmhand', async () => {
      await offline('Delete Me')
      const id = await offline('Me too', 2n ** 63n - 1n)
      expect((await call('DELETE', '/farmhands?name=delete+me')).json).toEqual({
        success: true,
        message: expect.stringMatching(/delete me/i),
      })
      expect((await call('DELETE', `/farmhands?playerId=${id}`)).json).toEqual({
        success: true,
        message: expect.any(String),
      })
      await eventually(async () =>
        expect((await call('GET', '/farmhands')).text).not.toMatch(/Delete Me|Me too/),
      )
      expectProblem(await call('DELETE', '/farmhands?name=Delete%20Me'), 404, 'farmhand_not_found')
    })

    test('POST /farmhands/rebind: the farmhand then belongs to that identity, and the other can no longer join as it', async () => {
      const { farm } = server()
      const id = newId()
      const relay = { id, name: 'Two farms', connectionId: 'SN_76561198000000901' }
      const galaxy = { ...relay, connectionId: 'GN_46000000000000901' }
      const isThere = async () => (await call('GET', '/players')).text.includes(`"id":${id},`)
      await farm.knock(relay)
      await eventually(async () => expect(await isThere()).toBe(true))
      await farm.leave(id)
      await eventually(async () => expect(await isThere()).toBe(false))
      await farm.knock(galaxy)
      // Once a player who joined later is listed, the rejected one would be listed too.
      const later = newId()
      await farm.join({ id: later, name: 'Later' })
      await eventually(async () => expect((await call('GET', '/players')).text).toContain(`"id":${later},`))
      expect(await isThere()).toBe(false)
      await farm.leave(later)
      expect(
        (await call('POST', `/farmhands/rebind?playerId=${id}&identity=46000000000000901`)).json,
      ).toEqual({
        success: true,
        message: expect.stringContaining('46000000000000901'),
      })
      await farm.knock(galaxy)
      await eventually(async () => expect(await isThere()).toBe(true))
    })

    test('writes are served during a festival', async () => {
      const { farm } = server()
      const id = await offline('Fair')
      await farm.festival(true)
      await eventually(async () =>
        expect((await call('GET', '/status')).json).toMatchObject({ isReady: false }),
      )
      for (const [method, path] of [
        ['POST', '/time?value=1000'],
        ['POST', `/roles/admin?playerId=${id}`],
        ['POST', '/rendering?fps=1'],
        ['DELETE', `/farmhands?playerId=${id}`],
      ] as const)
        expect([path, (await call(method, path)).status]).toEqual([path, 200])
      await farm.festival(false)
    })
  })
}
