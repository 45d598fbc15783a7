/** Writes during a day transition or a save. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer } from '../shared-server.ts'

export function nightContract({ start }: RuntimeUnderTest): void {
  describe('writes at the end of a day', () => {
    const inTheNight = async (night: (server: Awaited<ReturnType<typeof ownServer>>) => unknown) => {
      const server = await ownServer(start)
      await server.farm.join({ id: 6001n, name: 'Asleep' })
      await server.farm.leave(6001n)
      await eventually(async () =>
        expect((await askWithKey(server, 'GET', '/farmhands')).text).toContain('"id":6001,'),
      )
      await night(server)
      return server
    }
    const code = (json: unknown) => v.parse(v.looseObject({ code: v.string(), error: v.string() }), json)

    test('during a save: 409 save_in_progress or 503 server_not_ready, both with retry', async () => {
      const server = await inTheNight(({ farm }) => farm.save())
      const deletion = await askWithKey(server, 'DELETE', '/farmhands?playerId=6001')
      expectProblem(deletion, 409, 'save_in_progress', { retry: true })
      expect(code(deletion.json).error).toContain('save is in progress')
      const time = await askWithKey(server, 'POST', '/time?value=1000')
      expectProblem(time, 503, 'server_not_ready', { retry: true })
      expect(code(time.json).error.toLowerCase()).toContain('server not ready')
      expect(time.headers.get('retry-after')).toMatch(/^\d+$/)
    })

    test('2600 ends the day: the next write is 503 server_not_ready, and a new day starts', async () => {
      const server = await inTheNight(() => undefined)
      const today = v.parse(
        v.looseObject({ day: v.number() }),
        (await askWithKey(server, 'GET', '/status')).json,
      )
      expect((await askWithKey(server, 'POST', '/time?value=2600')).json).toEqual({
        success: true,
        timeOfDay: 2600,
        message: 'Time set to 2600',
      })
      expectProblem(await askWithKey(server, 'POST', '/time?value=1000'), 503, 'server_not_ready', {
        retry: true,
      })
      expectProblem(await askWithKey(server, 'POST', '/roles/admin?playerId=6001'), 503, 'server_not_ready', {
        retry: true,
      })
      await eventually(async () =>
        expect((await askWithKey(server, 'GET', '/status')).json).toMatchObject({
          day: today.day + 1,
          timeOfDay: 600,
          dayTransitionComplete: true,
        }),
      )
    })
  })
}
