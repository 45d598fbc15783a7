/** Makes every call of the client. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { routesOf } from '../../../client/call.ts'
import { connect, type Farm } from '../../../client/index.ts'
import { routeTexts } from '../../../client/routes.ts'
import { signInWith } from '../../accounts/sign-in.ts'
import { sharedFolder } from '../../new-folder.ts'
import { recordEndpoints as endpoints } from '../../record-endpoints.ts'
import { eventually } from '../../wait.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { failureOf } from './connections.ts'
import { everyCall } from './every-call.ts'

/** No one signs in here: the providers are not called. */
const signIn = signInWith(
  { url: 'http://127.0.0.1:1', discordUrl: 'http://127.0.0.1:1' },
  'https://farm.example',
)

const id = 2n ** 53n + 1n

const routes = routesOf(routeTexts)

export function clientCalls({ start, origin }: RuntimeUnderTest): void {
  describe('calls', () => {
    const folder = sharedFolder()
    const settingsFile = join(folder, 'server-settings.json')
    writeFileSync(settingsFile, '{}')
    const server = sharedServer(start, { hasPassword: true, settingsFile, signIn })
    const farm = () => connect(server())

    test.each(Object.entries(everyCall(origin)))(
      "%s has the answer of its endpoint's schema, and nothing else",
      async (name, call) => {
        const { method, path } = routes.get(name) ?? {}
        const endpoint = endpoints.find((one) => one.method === method && one.path === path)
        if (endpoint === undefined) expect.unreachable(`no endpoint ${method} ${path}`)
        const made: string[] = []
        const watched = new Proxy(farm(), {
          get: (client, member: keyof Farm) => {
            made.push(member)
            return client[member]
          },
        })
        const answer = await call(watched, server())
        expect(made).toContain(name)
        // A schema drops members that it does not name, such as the text of an id.
        expect(v.parse(endpoint.result, answer)).toEqual(answer)
        if (method === 'GET') return
        const page = await farm().audit({ action: endpoint.operationId, limit: 1 })
        expect(page.entries).toMatchObject([
          { action: endpoint.operationId, key: { id: 'api_key' }, origin, outcome: 'done' },
        ])
      },
    )

    test('answers ids with every digit', async () => {
      await server().farm.join({ id, name: 'Abby' })
      await eventually(async () =>
        expect((await farm().players()).players).toContainEqual(
          expect.objectContaining({ id, name: 'Abby' }),
        ),
      )
      expect((await farm().farmhands()).farmhands).toContainEqual(
        expect.objectContaining({ id, name: 'Abby', isCustomized: true }),
      )
      expect(await farm().grantAdmin({ playerId: id })).toMatchObject({ playerId: id, playerName: 'Abby' })
    })

    test('answers public reads without the key', async () => {
      const anybody = connect({ url: server().url })
      expect(await anybody.status()).toMatchObject({ isOnline: true })
      expect(await anybody.health()).toMatchObject({ status: 'ok' })
      expect(await failureOf(anybody.players())).toMatchObject({ code: 'unauthorized' })
    })

    test('refuses with an error that has code, status, parameter and the id of the request', async () => {
      const failure = await failureOf(farm().setTime({ value: 1275 }))
      expect(failure).toMatchObject({
        code: 'invalid_parameter',
        status: 400,
        parameter: 'value',
        retry: false,
      })
      expect(failure.message).toMatch(/value/)
      expect(failure.requestId).toMatch(/\S/)
      expect(await failureOf(farm().deleteFarmhand({ name: 'no one of that name' }))).toMatchObject({
        code: 'farmhand_not_found',
        status: 404,
      })
      expect(await failureOf(connect({ url: server().url, key: 'wrong' }).players())).toMatchObject({
        code: 'unauthorized',
        status: 401,
      })
    })

    test('ends a wait without a match by wait_timeout', async () => {
      expect(await failureOf(farm().waitForPlayers({ playerId: 4n, timeout: 50 }))).toMatchObject({
        code: 'wait_timeout',
        status: 408,
      })
    })
  })
}
