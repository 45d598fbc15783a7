/** The requests of Discord (docs/notifications.md): signatures, commands, and late answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DiscordApi, discordApi, rateLimited } from '../../discord/discord-api.ts'
import {
  commandBody,
  discordKey,
  newId,
  nowInSeconds,
  sendCommand,
  sendSigned,
  signatureOf,
} from '../../discord/signed.ts'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { discordCommands } from './discord-commands.ts'
import { boundGuild, ephemeral, helper, privately, publicly } from './discord-guild.ts'

function lateReplies(server: () => ServerUnderTest, api: () => DiscordApi): void {
  test('while the game is offline a command answers that in private', async () => {
    const guild = await boundGuild(server())
    await server().farm.goOffline()
    await eventually(async () => {
      const { status, json } = await sendCommand(server(), 'status', { guild })
      expect([status, json]).toMatchObject([
        200,
        { type: 4, data: { content: expect.stringContaining('not reachable'), flags: 4 | ephemeral } },
      ])
    })
    await server().farm.comeBack()
    await eventually(async () => publicly(await sendCommand(server(), 'status', { guild })))
  })

  test("an answer beyond Discord's time limit is deferred, and follows later", async () => {
    const guild = await boundGuild(server())
    api().answersNext(rateLimited(0.01))
    await server().farm.freeze()
    const id = newId()
    const reply = await sendCommand(server(), 'time', {
      guild,
      roles: [helper],
      id,
      given: { value: 1500 },
    })
    expect([reply.status, reply.json]).toEqual([200, { type: 5, data: { flags: ephemeral } }])
    await server().farm.thaw()
    const path = `/api/v10/webhooks/845027738276462632/token-of-${id}/messages/@original`
    await eventually(() => api().requests.filter((one) => one.path === path).length === 2)
    expect(api().requests.at(-1)).toMatchObject({
      method: 'PATCH',
      authorization: undefined,
      userAgent: expect.stringMatching(/^DiscordBot \(/),
      body: { content: 'Time set to 1500.', allowed_mentions: { parse: [] } },
    })
  })

  test('a late refusal is private: its public placeholder is deleted first', async () => {
    const guild = await boundGuild(server())
    const id = newId()
    await server().farm.fallSilent()
    const reply = await sendCommand(server(), 'players', { guild, id })
    expect([reply.status, reply.json]).toEqual([200, { type: 5 }])
    await server().farm.goOffline()
    const path = `/api/v10/webhooks/845027738276462632/token-of-${id}`
    const asked = () => api().requests.filter((one) => one.path.startsWith(path))
    await eventually(() => expect(asked()).toHaveLength(2))
    await server().farm.comeBack()
    expect(asked()).toMatchObject([
      { method: 'DELETE', path: `${path}/messages/@original`, body: undefined },
      {
        method: 'POST',
        path,
        body: {
          content: expect.stringMatching(/\S/),
          flags: 4 | ephemeral,
          allowed_mentions: { parse: [] },
        },
      },
    ])
  })
}
const ping = '{"id":"1","application_id":"2","type":1,"version":1}'

function signedRequests(server: () => ServerUnderTest): void {
  test('a PING is answered with a PONG', async () => {
    const { status, text, headers } = await sendSigned(server(), ping)
    expect([status, text, headers.get('content-type')]).toEqual([200, '{"type":1}', 'application/json'])
  })

  test('one trailing slash is tolerated, also with a body', async () => {
    const timestamp = nowInSeconds()
    const pinged = await ask(server(), 'POST', '/discord/interactions/', {
      headers: {
        'X-Signature-Ed25519': signatureOf(timestamp, ping),
        'X-Signature-Timestamp': timestamp,
      },
      body: ping,
    })
    expect(pinged.text).toBe('{"type":1}')
    const made = await askWithKey(server(), 'POST', '/keys/', { json: { name: 'Bot', scopes: ['chat'] } })
    expect(made.status).toBe(201)
  })

  test('the signature covers the exact bytes: any other is 401, for any body', async () => {
    const timestamp = nowInSeconds()
    const unsigned = (headers: Record<string, string>, body = ping) =>
      ask(server(), 'POST', '/discord/interactions', { headers, body })
    const signature = signatureOf(timestamp, ping)
    const refused = [
      await sendSigned(server(), ping, { sent: ping.replace('"2"', '"3"') }),
      await sendSigned(server(), ping, { sent: `\uFEFF${ping}` }),
      await sendSigned(server(), ping, { sent: 'no JSON' }),
      await sendSigned(server(), ping, {
        headers: { 'X-Signature-Timestamp': String(Number(timestamp) - 1) },
      }),
      await sendSigned(server(), ping, {
        headers: { 'X-Signature-Ed25519': signature.replace(/^../, '') },
      }),
      await sendSigned(server(), ping, { headers: { 'X-Signature-Ed25519': '0'.repeat(128) } }),
      await unsigned({}),
      await unsigned({ 'X-Signature-Ed25519': signature }),
      await unsigned({ 'X-Signature-Timestamp': timestamp }),
      await unsigned({ Authorization: `Bearer ${server().key}` }),
    ]
    for (const reply of refused) expectProblem(reply, 401, 'unauthorized')
  })

  test('a press of a button, which farmgate never sends, is answered as unknown', async () => {
    const press = JSON.stringify({ ...JSON.parse(commandBody('status', { guild: '1' })), type: 3 })
    expect(privately(await sendSigned(server(), press))).toBe('farmgate makes no such messages.')
  })
}

export function discordContract({ start, origin }: RuntimeUnderTest): void {
  describe('without DISCORD_PUBLIC_KEY', () => {
    const server = sharedServer(start)

    test('Discord is not set up: its requests are 404', async () => {
      expectProblem(await sendSigned(server(), ping), 404, 'not_found', { path: '/discord/interactions' })
      const { json } = await askWithKey(server(), 'GET', '/discord/servers')
      expect(json).toEqual({ isSetUp: false, servers: [] })
    })
  })

  describe('Discord commands', () => {
    let api: DiscordApi
    beforeAll(async () => {
      api = await discordApi()
    })
    afterAll(() => api.stop())
    const server = sharedServer((options) =>
      start({ ...options, discord: { publicKey: discordKey, apiUrl: api.url } }),
    )

    signedRequests(server)
    discordCommands(server, origin)
    lateReplies(server, () => api)
  })
}
