/** REFUSALS=200: refusals in the game server's own form, for panels that know no other (docs/api.md). */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer } from '../shared-server.ts'

export function refusalsContract({ start }: RuntimeUnderTest): void {
  describe('refusals', () => {
    test('with REFUSALS=200 farmhands and roles answer them with 200 and success:false, and the audit has the real status', async () => {
      const server = await ownServer(start, { refusalsAs200: true })
      await server.farm.join({ id: 41n, name: 'Abby' })
      await eventually(async () =>
        expect((await askWithKey(server, 'GET', '/players')).text).toContain('"id":41,'),
      )
      for (const [method, path, code] of [
        ['DELETE', '/farmhands', 'invalid_parameter'],
        ['DELETE', '/farmhands?name=Nemo', 'farmhand_not_found'],
        ['DELETE', '/farmhands?playerId=41', 'farmhand_online'],
        ['POST', '/roles/admin?name=Nemo', 'player_not_found'],
      ] as const) {
        const { status, json, text } = await askWithKey(server, method, path)
        expect([path, status, json]).toEqual([
          path,
          200,
          expect.objectContaining({ success: false, error: expect.any(String), code }),
        ])
        expect(text.includes('"playerId":0,')).toBe(method === 'POST')
      }
      const audit = (await askWithKey(server, 'GET', '/audit?limit=1')).json
      expect(audit).toMatchObject({ entries: [{ action: 'grantAdmin', status: 404 }] })
      // Keys and other endpoints are unchanged.
      expectProblem(await ask(server, 'DELETE', '/farmhands?name=Abby'), 401, 'unauthorized')
      expectProblem(await askWithKey(server, 'POST', '/time?value=1'), 400, 'invalid_parameter', {
        parameter: 'value',
      })
    })
  })
}
