/** Why friends cannot join. */
import { expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { askWithKey } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { ownServer } from '../shared-server.ts'

export function joinContract({ start }: RuntimeUnderTest): void {
  test('GET /join has every check in order, and the first that is wrong', async () => {
    const server = await ownServer(start)
    const join = async () => (await askWithKey(server, 'GET', '/join')).json as { readonly checks: object[] }
    const { checks, ...rest } = await join()
    expect(checks).toMatchObject([
      { check: 'process', state: 'ok' },
      { check: 'night', state: 'ok' },
      { check: 'sign_in', state: 'unknown' },
      { check: 'clock', state: 'unknown' },
      { check: 'relay', state: 'unknown' },
      { check: 'invite_code', state: 'ok' },
      { check: 'player_limit', state: 'ok' },
      { check: 'password', state: 'ok' },
      { check: 'versions', state: 'ok' },
    ])
    expect(rest).toEqual({})
    await server.farm.festival(true)
    await eventually(async () =>
      expect(await join()).toMatchObject({
        checks: expect.arrayContaining([
          {
            check: 'night',
            state: 'wrong',
            message: 'A festival or an event is on.',
            next: 'Wait until it ends.',
          },
        ]),
        first: 'night',
      }),
    )
  })
}
