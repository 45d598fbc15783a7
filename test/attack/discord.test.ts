/** Hostile requests to the address for Discord commands. The edge answers them by the same code. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, askWithKey, expectProblem, type Reply } from '../contract/request.ts'
import type { ServerUnderTest } from '../contract/server-under-test.ts'
import { ownServer, sharedServer } from '../contract/shared-server.ts'
import { type DiscordApi, discordApi } from '../discord/discord-api.ts'
import { commandBody, discordKey, newId, nowInSeconds, sendSigned, signatureOf } from '../discord/signed.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { noInteractions, oddPings } from './discord/bodies.ts'
import { hostileValues, third, withMember } from './game/records.ts'

const ping = '{"id":"1","application_id":"2","type":1,"version":1}'
const helper = '700'
const times = <T>(count: number, one: () => Promise<T>) => Promise.all(Array.from({ length: count }, one))

/** Members of a command that decide whether its write is made: it is not with a hostile value. */
const deciding = [
  'type',
  'guild_id',
  'member',
  'member.user',
  'member.roles',
  'data',
  'data.name',
  'data.options',
]

/** A Discord server that is bound to the farm, with a role for helpers. */
async function boundGuild({ records }: ServerUnderTest): Promise<string> {
  const own = records.of('local')
  const guild = newId()
  const { code } = await own.makeDiscordCode()
  await own.bindDiscordServer({ code, serverId: guild })
  await own.setDiscordRoles({ id: guild, roles: [{ id: helper, scopes: ['chat', 'control'] }] })
  return guild
}

/** A new command that makes a write. */
const write = (guild: string) => commandBody('time', { guild, roles: [helper], given: { value: 1200 } })

/** The text of an answer to a command; undefined for any other answer. */
function textOf({ status, json }: Reply): string | undefined {
  if (status !== 200) return undefined
  expect(json).toMatchObject({ type: 4, data: { content: expect.stringMatching(/\S/) } })
  return (json as { readonly data: { readonly content: string } }).data.content
}

describe('the address for Discord commands', () => {
  let api: DiscordApi
  beforeAll(async () => {
    api = await discordApi()
  })
  afterAll(() => api.stop())
  const options = () => ({ discord: { publicKey: discordKey, apiUrl: api.url } })
  const server = sharedServer((own) => nodeServer({ ...own, ...options() }))
  /** Sends bytes with any headers. */
  const post = (body: string, headers: Record<string, string> = {}) =>
    ask(server(), 'POST', '/discord/interactions', { headers, body })

  test.each([
    ['of another body', { 'X-Signature-Ed25519': signatureOf('1', ping) }],
    ['that is all zeros', { 'X-Signature-Ed25519': '0'.repeat(128) }],
    // A point of small order, under which weak verifiers accept any text.
    ['of a point of small order', { 'X-Signature-Ed25519': `01${'0'.repeat(126)}` }],
    ['with a scalar that is too large', { 'X-Signature-Ed25519': 'f'.repeat(128) }],
    ['that is too short', { 'X-Signature-Ed25519': '0'.repeat(126) }],
    ['that is too long', { 'X-Signature-Ed25519': '0'.repeat(130) }],
    ['that is not hexadecimal', { 'X-Signature-Ed25519': 'g'.repeat(128) }],
    ['of 8,000 digits', { 'X-Signature-Ed25519': '0'.repeat(8000) }],
    ['that is a list', { 'X-Signature-Ed25519': `${signatureOf('1', ping)}, ${signatureOf('1', ping)}` }],
    ['without its time', { 'X-Signature-Timestamp': '' }],
    ['at a negative time', { 'X-Signature-Timestamp': '-1' }],
    ['at a time that is none', { 'X-Signature-Timestamp': 'NaN' }],
    ['at a time with an exponent', { 'X-Signature-Timestamp': '1e12' }],
    ['at a time of 1,000 digits', { 'X-Signature-Timestamp': '9'.repeat(1000) }],
  ])('a signature %s is 401', async (_what, headers) => {
    expectProblem(await sendSigned(server(), ping, { headers }), 401, 'unauthorized')
  })

  test('part of the body cannot be moved into the time that is signed with it', async () => {
    const timestamp = nowInSeconds()
    const body = `1${ping}`
    const headers = {
      'X-Signature-Ed25519': signatureOf(timestamp, body),
      'X-Signature-Timestamp': `${timestamp}1`,
    }
    expectProblem(await post(ping, headers), 401, 'unauthorized')
  })

  test.each([-86_400, -301, 360, 86_400])(
    'a command that Discord has signed %i s from now is 401 and does nothing',
    async (seconds) => {
      const body = write(await boundGuild(server()))
      const before = await server().farm.writes()
      const timestamp = String(Number(nowInSeconds()) + seconds)
      expectProblem(await sendSigned(server(), body, { timestamp }), 401, 'unauthorized')
      expect(await server().farm.writes()).toBe(before)
    },
  )

  test('a signature of less than five minutes ago is accepted', async () => {
    const timestamp = String(Number(nowInSeconds()) - 280)
    expect((await sendSigned(server(), ping, { timestamp })).status).toBe(200)
  })

  test('of 40 simultaneous copies of one command one is made', async () => {
    const body = write(await boundGuild(server()))
    const before = await server().farm.writes()
    const timestamp = nowInSeconds()
    const texts = (await times(40, () => sendSigned(server(), body, { timestamp }))).map(textOf)
    expect(texts.filter((text) => text === 'Time set to 1200.')).toHaveLength(1)
    expect(texts.filter((text) => text?.includes('answered before'))).toHaveLength(39)
    expect(await server().farm.writes()).toBe(before + 1)
  })

  test.each(noInteractions)('signed, but not an interaction: %s is 400', async (_what, body) => {
    expectProblem(await sendSigned(server(), body), 400, 'malformed_request')
  })

  test.each(oddPings)('a PING with %s is a PING', async (_what, body) => {
    const { status, text } = await sendSigned(server(), body)
    expect([status, text]).toEqual([200, '{"type":1}'])
  })

  test('a body of 8 MB is 413, signed or not', async () => {
    const body = ' '.repeat(8 * 1024 * 1024)
    // The answer comes before the body has ended, and a client that still writes can miss it.
    await eventually(async () => expectProblem(await sendSigned(server(), body), 413, 'payload_too_large'))
    await eventually(async () => expectProblem(await post(body), 413, 'payload_too_large'))
  })

  test('a command without a member, or with any value in it, is answered or 400, and only a right one does something', async () => {
    const { type, application_id, token, guild_id, member, data } = JSON.parse(
      write(await boundGuild(server())),
    )
    const { roles, permissions, user } = member
    const read = { type, application_id, token, guild_id, data, member: { roles, permissions, user } }
    const copiesOf = (value?: string) => [...withMember({ ...read, id: newId() }, value)]
    const copies = hostileValues.map((value, at) => [value, third(copiesOf(value), at)] as const)
    for (const [value, some] of [[undefined, copiesOf()] as const, ...copies])
      await Promise.all(
        some.map(async ({ where, text }) => {
          const reply = await sendSigned(server(), text)
          expect({ where, value, status: reply.status }).toEqual({
            where,
            value,
            status: expect.toBeOneOf(text.length > 64 * 1024 ? [413] : [200, 400]),
          })
          const isMade = textOf(reply) === 'Time set to 1200.'
          if (deciding.includes(where))
            expect({ where, value, isMade }).toEqual({ where, value, isMade: false })
        }),
      )
  })

  test.each([
    ['that leaves its path', '..'],
    ['that is its own path', '/../../../applications/@me?x='],
    ['that is empty', ''],
    ['that is long', 'x'.repeat(30_000)],
    ['of another script', 'ключ'],
  ])('a token %s does not reach Discord as another request', async (_what, token) => {
    const command = { ...JSON.parse(write(await boundGuild(server()))), token }
    await server().farm.freeze()
    const reply = await sendSigned(server(), JSON.stringify(command))
    await server().farm.thaw()
    if (reply.status === 400) return
    expect(reply.json).toMatchObject({ type: 5 })
    await expect
      .poll(() => api.requests.at(-1)?.path, { timeout: 60_000 })
      .toBe(`/api/v10/webhooks/845027738276462632/${encodeURIComponent(token)}/messages/@original`)
  })

  test('after all of this commands still work, and Discord got nothing but answers', async () => {
    const body = write(await boundGuild(server()))
    expect(textOf(await sendSigned(server(), body))).toBe('Time set to 1200.')
    for (const { path } of api.requests)
      expect(path).toMatch(/^\/api\/v10\/webhooks\/\d+\/[^/]+(\/messages\/@original)?$/)
  })

  test('300 simultaneous PINGs are each answered, or 429, and so are holders of the key meanwhile', async () => {
    const own = await ownServer(nodeServer, { ...options(), rates: { anonymous: 200, reads: 50 } })
    const pinged = times(300, () => sendSigned(own, ping))
    const read = await times(10, () => askWithKey(own, 'GET', '/players'))
    expect(read.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    for (const reply of await pinged)
      if (reply.status === 429) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      else expect([reply.status, reply.text]).toEqual([200, '{"type":1}'])
  })
})

test('thousands of wrong signatures of one address are 429, and count neither against Discord nor against the key', async () => {
  const own = await ownServer((options) => nodeServer({ ...options, server: { trustProxy: 1 } }), {
    discord: { publicKey: discordKey, apiUrl: 'http://127.0.0.1:1/api/v10' },
    rates: { anonymous: 20 },
  })
  const attacker = { 'X-Forwarded-For': '203.0.113.9' }
  const discord = { 'X-Forwarded-For': '203.0.113.10' }
  const refused = await times(30, () => sendSigned(own, ping, { sent: `${ping} `, headers: attacker }))
  expect(refused.map(({ status }) => status).sort()).toEqual([
    ...Array.from({ length: 20 }, () => 401),
    ...Array.from({ length: 10 }, () => 429),
  ])
  for (const { status, headers } of refused)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await sendSigned(own, ping, { headers: discord })).text).toBe('{"type":1}')
  expect((await askWithKey(own, 'GET', '/players', { headers: attacker })).status).toBe(200)
  expect((await ask(own, 'GET', '/health', { headers: attacker })).status).toBe(200)
})
