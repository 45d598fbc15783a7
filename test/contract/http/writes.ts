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
    const query = (name: string) => encodeURIComponent(name)
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

    test('POST /rendering?fps=N renders at N and fps=0 disables', async () => {
      await call('POST', '/rendering?fps=0')
      expect((await call('POST', '/rendering?fps=15')).json).toEqual({
        success: true,
        fps: 15,
        previousFps: 0,
        message: 'Rendering enabled at 15 fps',
      })
      expect((await call('GET', '/rendering')).text).toBe('{"fps":15}')
      expect((await call('POST', '/rendering?fps=0')).json).toEqual({
        success: true,
        fps: 0,
        previousFps: 15,
        message: 'Rendering disabled',
      })
    })

    test('fps is 0 to 240', async () => {
      for (const fps of [0, 1, 240]) expect((await call('POST', `/rendering?fps=${fps}`)).status).toBe(200)
    })

    test('POST /time?value= sets the time of day', async () => {
      expect((await call('POST', '/time?value=1200')).text).toBe(
        '{"success":true,"timeOfDay":1200,"message":"Time set to 1200"}',
      )
      await eventually(async () =>
        expect((await call('GET', '/status')).json).toMatchObject({ timeOfDay: 1200 }),
      )
    })

    test('600 to 2550 are times of day', async () => {
      for (const value of [600, 659, 1259, 2400, 2550, 900])
        expect((await call('POST', `/time?value=${value}`)).status).toBe(200)
    })

    test('POST /roles/admin by name, in upper or lower case of any script', async () => {
      for (const [name, asked] of [
        ['Борис', 'бОРИС'],
        ['Chloë', 'CHLOË'],
        ['田中 ひなた', '田中 ひなた'],
        ['Δάφνη', 'ΔΆΦΝΗ'],
      ] as const) {
        const id = await online(name)
        const { status, json } = await call('POST', `/roles/admin?name=${query(asked)}`)
        expect([status, json]).toEqual([
          200,
          {
            success: true,
            playerId: Number(id),
            playerIdText: String(id),
            playerName: name,
            message: `Admin role granted to '${name}'`,
          },
        ])
        expect(server().farm.isAdmin(id)).toBe(true)
        await server().farm.leave(id)
      }
    })

    test('POST /roles/admin by playerId, exact beyond 2^53, connected or not, and twice', async () => {
      const id = await offline('Far away', -6_208_260_877_024_290_921n)
      for (const _time of [1, 2]) {
        const { text, status } = await call('POST', `/roles/admin?playerId=${id}`)
        expect(status).toBe(200)
        expect(text).toContain('"playerId":-6208260877024290921,')
      }
      expect(server().farm.isAdmin(id)).toBe(true)
    })

    test('an unknown player is 404 player_not_found', async () => {
      for (const path of ['/roles/admin?name=Nobody%20at%20all', '/roles/admin?playerId=1'])
        expectProblem(await call('POST', path), 404, 'player_not_found')
      expect((await call('POST', '/roles/admin?name=Nobody')).json).toMatchObject({
        error: expect.stringContaining('not found'),
      })
    })

    describe('an id that is not found but is a known one after rounding to a double is 404 and says so', () => {
      const person = -7_111_222_333_444_555_667n
      const double = BigInt(Number(person))
      const told = (what: string, id: bigint | string, instead: string) =>
        `${what} id=${id} not found; it looks rounded by a program that reads ids as doubles: use ${instead}`

      test.each([
        ['POST', '/roles/admin', 'Player', 'idText or name'],
        ['DELETE', '/farmhands', 'Farmhand', 'idText or name'],
        ['POST', '/farmhands/rebind', 'Farmhand', 'idText'],
      ])('%s %s', async (method, path, what, instead) => {
        await online('Rounded', person)
        for (const id of [double, String(Number(person))]) {
          const reply = await call(method, `${path}?playerId=${id}&identity=76561198000000001`)
          expectProblem(reply, 404, `${what.toLowerCase()}_not_found`)
          expect(reply.json).toMatchObject({ error: told(what, id, instead) })
        }
      })

      test('also when several known ids round to the same double', async () => {
        await online('Rounded', person)
        await online('Rounded too', person + 1n)
        expect(Number(person + 1n)).toBe(Number(person))
        expect((await call('DELETE', `/farmhands?playerId=${double}`)).json).toMatchObject({
          error: told('Farmhand', double, 'idText or name'),
        })
      })

      test('an id that no known id rounds to is not found, without that advice', async () => {
        await online('Rounded', person)
        expect((await call('DELETE', `/farmhands?playerId=${person + 4096n}`)).json).toMatchObject({
          error: `Farmhand id=${person + 4096n} not found`,
        })
      })
    })

    test('a name never matches the host', async () => {
      const { hostId } = server().farm
      expectProblem(await call('POST', `/roles/admin?playerId=${hostId}`), 404, 'player_not_found')
      expectProblem(await call('DELETE', `/farmhands?playerId=${hostId}`), 404, 'farmhand_not_found')
    })

    test('several players share the name: 409 ambiguous_name, use playerId', async () => {
      const first = await offline('Twin')
      const second = await offline('TWIN')
      for (const [method, path] of [
        ['POST', '/roles/admin'],
        ['DELETE', '/farmhands'],
      ] as const) {
        const reply = await call(method, `${path}?name=twin`)
        expectProblem(reply, 409, 'ambiguous_name')
        expect(reply.json).toMatchObject({ error: expect.stringContaining('playerId') })
      }
      for (const id of [first, second])
        expect((await call('DELETE', `/farmhands?playerId=${id}`)).status).toBe(200)
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

    test('a farmhand that is online is 409 farmhand_online, text contains "currently online"', async () => {
      const id = await online('Present')
      for (const path of ['/farmhands?name=Present', `/farmhands?playerId=${id}`]) {
        const reply = await call('DELETE', path)
        expectProblem(reply, 409, 'farmhand_online')
        expect(reply.json).toMatchObject({ error: expect.stringContaining('currently online') })
      }
      await server().farm.leave(id)
    })

    test('an unknown farmhand is 404 farmhand_not_found, text contains "not found"', async () => {
      for (const path of ['/farmhands?name=Nobody', '/farmhands?playerId=1']) {
        const reply = await call('DELETE', path)
        expectProblem(reply, 404, 'farmhand_not_found')
        expect(reply.json).toMatchObject({ error: expect.stringContaining('not found') })
      }
      expectProblem(
        await call('POST', '/farmhands/rebind?playerId=1&identity=76561198000000001'),
        404,
        'farmhand_not_found',
      )
    })

    test('POST /farmhands/rebind: the farmhand then belongs to that identity, and the other can no longer join as it', async () => {
      const { farm } = server()
      const id = newId()
      const relay = { id, name: 'Two doors', connectionId: 'SN_76561198000000901' }
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
