/** Messages that complete a deferred answer, with a stand-in for Discord's API. */
import { afterAll, expect, test } from 'vitest'
import { farmDefinition } from '../../../services/discord/definition.ts'
import { farmCommands } from '../../../services/discord/farm-commands.ts'
import { lateReplies } from '../../../services/discord/late-reply.ts'
import { discordApi, refused } from '../../discord/discord-api.ts'
import { type LogLine, recorder } from '../../logs.ts'

const api = await discordApi()
afterAll(() => api.stop())

const command = { type: 2, id: '1', application_id: '2', token: 'a-token', data: { name: 'farm' } } as const
const path = '/api/v10/webhooks/2/a-token'
const original = `${path}/messages/@original`

/** @returns the requests to Discord, and the log */
async function sent(isPrivate: boolean) {
  const before = api.requests.length
  const log: LogLine[] = []
  const send = lateReplies({ apiUrl: api.url, userAgent: 'DiscordBot (farmgate, 1)', log: recorder(log) })
  await send(command, false, { text: 'Hello', isPrivate })
  return { asked: api.requests.slice(before), log }
}

test('a message for the channel completes a deferral for the channel', async () => {
  const { asked, log } = await sent(false)
  expect(asked).toMatchObject([{ method: 'PATCH', path: original, body: { content: 'Hello', flags: 4 } }])
  expect(log).toEqual([])
})

test('a message for one member is not sent if Discord does not delete the placeholder of the channel, because it would replace that', async () => {
  api.answersNext(refused(403, 'Missing Access'))
  const { asked, log } = await sent(true)
  expect(asked).toMatchObject([{ method: 'DELETE' }])
  expect(log).toMatchObject([
    { level: 'warn', fields: { status: 403 }, message: 'an answer could not be sent to Discord' },
  ])
})

const { options } = farmDefinition

test('Discord gets exactly the commands that farmgate answers, and bind', () => {
  expect(options.map(({ name }) => name)).toEqual([...farmCommands.keys(), 'bind'])
})

test('each command offers what its endpoint takes; what may be left out need not be offered', () => {
  for (const [name, { endpoint }] of farmCommands) {
    const { parameters, body } = endpoint
    const taken: Readonly<Record<string, { readonly required?: boolean; readonly type?: string }>> =
      body === undefined ? parameters : Object(Object(body.schema)['entries'])
    const needed = Object.keys(taken).filter(
      (member) => taken[member]?.required !== false && !taken[member]?.type?.includes('optional'),
    )
    const offered = options.find((one) => one.name === name)?.options.map((option) => option.name) ?? []
    expect([name, Object.keys(taken)]).toEqual([name, expect.arrayContaining(offered)])
    expect([name, offered]).toEqual([name, expect.arrayContaining(needed)])
  }
})

test('names and descriptions have lengths that Discord accepts', () => {
  for (const { name, description } of [
    farmDefinition,
    ...options,
    ...options.flatMap((one) => [...one.options]),
  ]) {
    expect(name).toMatch(/^[a-z]{1,32}$/)
    expect(description.length).toBeLessThanOrEqual(100)
  }
})
