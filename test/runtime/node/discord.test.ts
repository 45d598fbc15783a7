/** Discord commands on Node: the log, the limits and the base path. */
import { afterAll, expect, test } from 'vitest'
import { ownServer } from '../../contract/shared-server.ts'
import { botToken, discordApi, refused } from '../../discord/discord-api.ts'
import {
  type Command,
  discordKey,
  newId,
  nowInSeconds,
  sendCommand,
  sendSigned,
} from '../../discord/signed.ts'
import { eventually } from '../../wait.ts'
import { type NodeOptions, nodeServer } from './node-server.ts'

const ping = '{"id":"1","application_id":"2","type":1,"version":1}'
const helper = '700'

const api = await discordApi()
afterAll(() => api.stop())

async function aServer(options: NodeOptions = {}) {
  const discord = { publicKey: discordKey, apiUrl: api.url }
  const server = await ownServer(nodeServer, { ...options, discord })
  const records = server.records.of('local')
  const guild = newId()
  const { code } = await records.makeDiscordCode()
  await records.bindDiscordServer({ code, serverId: guild })
  await records.setDiscordRoles({ id: guild, roles: [{ id: helper, scopes: ['control'] }] })
  const give = (name: string, command: Partial<Command> = {}) =>
    sendCommand(server, name, { guild, roles: [helper], ...command })
  const textOf = async (reply: ReturnType<typeof give>) =>
    ((await reply).json as { readonly data: { readonly content: string } }).data.content
  return { server: server as Awaited<ReturnType<typeof nodeServer>>, give, textOf }
}

test('commands arrive below API_BASE_PATH too', async () => {
  const { give, textOf } = await aServer({ basePath: '/farm' })
  expect(await textOf(give('status'))).toContain('players are on it')
})

test("each member has a limit as a key has, and uses up no other member's", async () => {
  const { give, textOf } = await aServer({ rates: { reads: 2, writes: 1 } })
  const time = (user: string) => textOf(give('time', { user, given: { value: 1200 } }))
  expect(await time('1')).toBe('Time set to 1200.')
  expect(await time('1')).toMatch(/^Too many requests; try again in \d+ s$/)
  expect(await time('2')).toBe('Time set to 1200.')
  for (const answer of ['players are on it', 'players are on it', 'Too many requests'])
    expect(await textOf(give('status', { user: '3' }))).toContain(answer)
})

test('a signature at a wrong time is logged once a minute', async () => {
  const { server } = await aServer()
  const timestamp = String(Number(nowInSeconds()) - 3600)
  for (let sent = 0; sent < 3; sent += 1)
    expect((await sendSigned(server, ping, { timestamp })).status).toBe(401)
  const late = 'refused commands of Discord: their time is not that of this machine'
  expect(server.log.filter(({ message }) => message === late)).toEqual([
    { level: 'warn', fields: { requests: 1 }, message: late },
  ])
})

test('an answer that Discord refuses is logged, without the token of the command', async () => {
  const { server, give } = await aServer()
  api.answersNext(refused(404, 'Unknown Webhook'))
  await server.farm.freeze()
  const reply = await give('time', { given: { value: 1200 } })
  expect(reply.json).toMatchObject({ type: 5 })
  await server.farm.thaw()
  const refusal = 'an answer could not be sent to Discord'
  await eventually(() => server.log.some(({ message }) => message === refusal))
  expect(server.log.find(({ message }) => message === refusal)).toEqual({
    level: 'warn',
    fields: { status: 404 },
    message: refusal,
  })
  expect(JSON.stringify(server.log)).not.toContain('token-of-')
  expect(JSON.stringify(server.log)).not.toContain(botToken)
})
