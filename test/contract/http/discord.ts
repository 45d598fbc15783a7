/** Commands of Discord (docs/discord.md): signed requests as Discord's documents describe them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DiscordApi, discordApi, rateLimited } from '../../discord/discord-api.ts'
import {
  type Command,
  commandBody,
  discordKey,
  newId,
  nowInSeconds,
  sendCommand,
  sendSigned,
  signatureOf,
} from '../../discord/signed.ts'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem, type Reply } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const ephemeral = 64
const manageGuild = '32'
const helper = '700'
const ping = '{"id":"1","application_id":"2","type":1,"version":1}'

/** A Discord server that is bound to the farm, with one role for helpers. */
async function boundGuild(server: ServerUnderTest): Promise<string> {
  const guild = newId()
  const { code } = (await askWithKey(server, 'POST', '/discord/codes')).json as { readonly code: string }
  const bound = await sendCommand(server, 'bind', { guild, permissions: manageGuild, given: { code } })
  expect(privately(bound)).toContain('is bound to the farm')
  const roles = await askWithKey(server, 'PATCH', '/discord/servers', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: guild, roles: [{ id: helper, scopes: ['chat', 'control'] }] }),
  })
  expect(roles.status).toBe(200)
  return guild
}

/** The text of an answer to everybody in the channel. */
const publicly = (reply: Reply): string => messageOf(reply, 0)
/** The text of an answer to whoever gave the command. */
const privately = (reply: Reply): string => messageOf(reply, ephemeral)

function messageOf({ status, json, headers }: Reply, flag: number): string {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  const { type, data } = json as { type: number; data: { content: string; flags: number } }
  expect([type, data.flags & ephemeral]).toEqual([4, flag])
  expect(data).toMatchObject({ allowed_mentions: { parse: [] } })
  return data.content
}

export function discordContract({ start, door }: RuntimeUnderTest): void {
  describe('without DISCORD_PUBLIC_KEY', () => {
    const server = sharedServer(start)

    test('Discord is not set up: its requests are 404', async () => {
      expectProblem(await sendSigned(server(), ping), 404, 'not_found', { path: '/discord/interactions' })
      const { json } = await askWithKey(server(), 'GET', '/discord/servers')
      expect(json).toEqual({ isSetUp: false, servers: [] })
    })
  })

  describe('commands of Discord', () => {
    let api: DiscordApi
    beforeAll(async () => {
      api = await discordApi()
    })
    afterAll(() => api.stop())
    const server = sharedServer((options) =>
      start({ ...options, discord: { publicKey: discordKey, apiUrl: api.url } }),
    )
    const audited = async (action: string) => {
      const page = await askWithKey(server(), 'GET', `/audit?action=${action}&limit=1`)
      return (page.json as { readonly entries: readonly object[] }).entries[0]
    }

    test('a PING is answered with a PONG', async () => {
      const { status, text, headers } = await sendSigned(server(), ping)
      expect([status, text, headers.get('content-type')]).toEqual([200, '{"type":1}', 'application/json'])
    })

    test('one trailing slash is tolerated, also where a body is read', async () => {
      const timestamp = nowInSeconds()
      const pinged = await ask(server(), 'POST', '/discord/interactions/', {
        headers: {
          'X-Signature-Ed25519': signatureOf(timestamp, ping),
          'X-Signature-Timestamp': timestamp,
        },
        body: ping,
      })
      expect(pinged.text).toBe('{"type":1}')
      const made = await askWithKey(server(), 'POST', '/keys/', {
        headers: { 'Content-Type': 'application/json' },
        body: '{"name":"Bot","scopes":["chat"]}',
      })
      expect(made.status).toBe(201)
    })

    test('the signature is that of the bytes as they were sent: any other is 401, whatever the body is', async () => {
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

    test('a signature of more than five minutes ago, or ahead, is refused', async () => {
      const at = (seconds: number) => ({ timestamp: String(Number(nowInSeconds()) + seconds) })
      expectProblem(await sendSigned(server(), ping, at(-310)), 401, 'unauthorized')
      expectProblem(await sendSigned(server(), ping, at(310)), 401, 'unauthorized')
      expect((await sendSigned(server(), ping, at(-280))).status).toBe(200)
      expectProblem(await sendSigned(server(), ping, { timestamp: 'now' }), 401, 'unauthorized')
    })

    test('a body of more than 64 KiB is refused, signed or not', async () => {
      const body = JSON.stringify({ type: 1, filler: 'x'.repeat(64 * 1024) })
      expectProblem(await sendSigned(server(), body), 413, 'payload_too_large')
    })

    test('what is signed but is no interaction is 400', async () => {
      for (const body of ['', 'no JSON', '[]', '{"type":"1"}', '{"id":"1"}'])
        expectProblem(await sendSigned(server(), body), 400, 'malformed_request')
    })

    test('other methods are 405', async () => {
      const reply = await ask(server(), 'GET', '/discord/interactions')
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
    })

    test('a server that is not bound is told how it is bound, and learns nothing of the farm', async () => {
      for (const name of ['status', 'players', 'invite', 'time'])
        expect(privately(await sendCommand(server(), name, { guild: '1' }))).toContain('is not bound')
    })

    test('a direct message is told that commands work in a server', async () => {
      const { guild_id: _guild, member, ...body } = JSON.parse(commandBody('status', { guild: '1' }))
      const direct = JSON.stringify({ ...body, user: member.user })
      expect(privately(await sendSigned(server(), direct))).toContain('only in a Discord server')
    })

    test('a code binds once, for members who may manage the server, and only right ones do', async () => {
      const guild = newId()
      const made = await askWithKey(server(), 'POST', '/discord/codes')
      expect(made.status).toBe(201)
      const { code } = made.json as { readonly code: string }
      const bind = (command: Partial<Command> = {}) =>
        sendCommand(server(), 'bind', { guild, permissions: manageGuild, given: { code }, ...command })
      expect(privately(await bind({ permissions: '2048' }))).toContain('may manage this Discord server')
      expect(privately(await bind({ given: { code: '0'.repeat(20) } }))).toContain('wrong, was used')
      expect(privately(await bind({ given: {} }))).toContain('wrong, was used')
      expect(privately(await sendCommand(server(), 'status', { guild }))).toContain('is not bound')
      expect(privately(await bind({ permissions: '8' }))).toContain('is bound to the farm')
      expect(await audited('bindDiscordServer')).toMatchObject({
        door,
        key: { id: 'discord_53908232506183680', name: 'mason' },
        parameters: { serverId: guild },
        outcome: 'done',
      })
      expect(privately(await bind({ guild: newId() }))).toContain('wrong, was used')
      expect(publicly(await sendCommand(server(), 'status', { guild }))).toContain('players are on it')
      const { json } = await askWithKey(server(), 'GET', '/discord/servers')
      expect(json).toMatchObject({
        isSetUp: true,
        servers: expect.arrayContaining([{ id: guild, boundAt: expect.stringMatching(/Z$/), roles: [] }]),
      })
    })

    test('a server that is no longer bound may do nothing', async () => {
      const guild = await boundGuild(server())
      const ended = await askWithKey(server(), 'DELETE', `/discord/servers?id=${guild}`)
      expect(ended.json).toEqual({ success: true, message: `Discord server ${guild} is not bound any more` })
      expect(privately(await sendCommand(server(), 'players', { guild, roles: [helper] }))).toContain(
        'is not bound',
      )
      for (const id of [guild, 'x', '9'.repeat(30)])
        expectProblem(
          await askWithKey(server(), 'DELETE', `/discord/servers?id=${id}`),
          404,
          'discord_server_not_found',
        )
    })

    test('everybody may look: status, players, and the invite code, which only they see', async () => {
      const guild = await boundGuild(server())
      await server().farm.join({ id: 41n, name: '*Abby* <@1> @everyone' })
      expect(publicly(await sendCommand(server(), 'status', { guild }))).toMatch(
        /^\*\*.+\*\*: \d\d:\d\d on day \d+ of (spring|summer|fall|winter), year \d+\. \d+ of \d+ players/,
      )
      const told = await eventually(async () => {
        const text = publicly(await sendCommand(server(), 'players', { guild }))
        expect(text).toContain('Abby')
        return text
      })
      expect(told).toContain('\\*Abby\\* \\<\\@1\\> \\@everyone')
      await server().farm.leave(41n)
      expect(privately(await sendCommand(server(), 'invite', { guild }))).toMatch(
        /^Invite code: \*\*\S+\*\*$/,
      )
    })

    test('only roles that an operator has named may do more, and what they may not do is told to them alone', async () => {
      const guild = await boundGuild(server())
      const stranger = { guild, roles: ['701'] }
      for (const [name, given, scope] of [
        ['time', { value: 1200 }, 'control'],
        ['backup', {}, 'control'],
        ['announce', { message: 'hello' }, 'chat'],
      ] as const) {
        const reply = await sendCommand(server(), name, { ...stranger, given })
        expect(privately(reply)).toContain(`has the scope ${scope}`)
      }
      expect(await audited('setTime')).toMatchObject({ outcome: 'refused', status: 403 })
      const done = await sendCommand(server(), 'time', {
        guild,
        roles: ['701', helper],
        given: { value: 1300 },
      })
      expect(privately(done)).toBe('Time set to 1300.')
      expect(await audited('setTime')).toMatchObject({
        door,
        key: { id: 'discord_53908232506183680', name: 'mason' },
        parameters: { value: '1300' },
        outcome: 'done',
        status: 200,
      })
    })

    test('a line is announced, and a backup made', async () => {
      const guild = await boundGuild(server())
      const by = { guild, roles: [helper] }
      const said = await sendCommand(server(), 'announce', { ...by, given: { message: 'The farm restarts' } })
      expect(privately(said)).toBe('Announced to everybody.')
      await eventually(() =>
        server()
          .farm.seen()
          .some((line) => line.includes('The farm restarts')),
      )
      const { farmName } = (await ask(server(), 'GET', '/status')).json as { readonly farmName: string }
      server().saved.save({ farmName })
      expect(privately(await sendCommand(server(), 'backup', by))).toMatch(/^Made the backup /)
    })

    test('a value that the API refuses is refused with its sentence', async () => {
      const guild = await boundGuild(server())
      const reply = await sendCommand(server(), 'time', { guild, roles: [helper], given: { value: 9999 } })
      expect(privately(reply)).toContain("Parameter 'value' must be")
    })

    test('a command that is not known is told as that', async () => {
      const guild = await boundGuild(server())
      for (const name of ['dance', 'constructor', '__proto__'])
        expect(privately(await sendCommand(server(), name, { guild }))).toContain('is not known here')
    })

    test('the same command comes only once', async () => {
      const guild = await boundGuild(server())
      const body = commandBody('time', { guild, roles: [helper], given: { value: 1400 } })
      const timestamp = nowInSeconds()
      expect(privately(await sendSigned(server(), body, { timestamp }))).toBe('Time set to 1400.')
      const before = await server().farm.writes()
      expect(privately(await sendSigned(server(), body, { timestamp }))).toContain('answered before')
      expect(await server().farm.writes()).toEqual(before)
    })

    test('while the game is away a command says so to whoever gave it', async () => {
      const guild = await boundGuild(server())
      await server().farm.goAway()
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

    test('what takes longer than Discord waits is deferred, and its answer follows when it is there', async () => {
      const guild = await boundGuild(server())
      api.answersNext(rateLimited(0.01))
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
      await eventually(() => api.requests.filter((one) => one.path === path).length === 2)
      expect(api.requests.at(-1)).toMatchObject({
        method: 'PATCH',
        authorization: undefined,
        userAgent: expect.stringMatching(/^DiscordBot \(/),
        body: { content: 'Time set to 1500.', allowed_mentions: { parse: [] } },
      })
    })

    test('a refusal that comes late is seen by whoever asked alone: what the channel sees of it is deleted first', async () => {
      const guild = await boundGuild(server())
      const id = newId()
      await server().farm.fallSilent()
      const reply = await sendCommand(server(), 'players', { guild, id })
      expect([reply.status, reply.json]).toEqual([200, { type: 5 }])
      await server().farm.goAway()
      const path = `/api/v10/webhooks/845027738276462632/token-of-${id}`
      const asked = () => api.requests.filter((one) => one.path.startsWith(path))
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
  })
}
