/** AsyncAPI, checked against the schema of the format and against real messages. */
import { readFileSync } from 'node:fs'
import { Ajv as AjvDraft7 } from 'ajv'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { messageCatalogue } from '../../../handlers/chat/catalogue.ts'
import { chatErrorCodes, closeCodes, topicOfEvent } from '../../../handlers/chat/messages.ts'
import { maxUnits } from '../../../handlers/chat-line.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { ask } from '../../contract/request.ts'
import { eventually } from '../../wait.ts'
import { describedApi } from './described-api.ts'

const { server, chat, misfits } = await describedApi()

describe('AsyncAPI', () => {
  test('/asyncapi.json is valid AsyncAPI 3', async () => {
    const schema = JSON.parse(
      readFileSync(new URL(import.meta.resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json')), 'utf8'),
    )
    const validate = new AjvDraft7({ strict: false, logger: false, validateFormats: false }).compile(schema)
    expect([
      validate(JSON.parse((await ask(server, 'GET', '/asyncapi.json')).text)),
      validate.errors,
    ]).toEqual([true, null])
  })

  test('it names servers, close codes, error codes and limits', async () => {
    const document = v.parse(
      v.looseObject({
        servers: v.record(v.string(), v.looseObject({ host: v.string(), protocol: v.string() })),
        channels: v.looseObject({
          ws: v.looseObject({
            description: v.string(),
            servers: v.array(v.looseObject({ $ref: v.string() })),
            'x-close-codes': v.array(v.looseObject({ code: v.number() })),
            'x-error-codes': v.record(v.string(), v.looseObject({ cause: v.string(), cure: v.string() })),
            'x-limits': v.record(v.string(), v.string()),
          }),
        }),
      }),
      JSON.parse((await ask(server, 'GET', '/asyncapi.json')).text),
    )
    const { ws } = document.channels
    expect(Object.values(document.servers).map(({ protocol }) => protocol)).toEqual(['ws', 'wss', 'wss'])
    expect(ws.servers.map(({ $ref }) => $ref)).toEqual(
      Object.keys(document.servers).map((name) => `#/servers/${name}`),
    )
    const codes = ws['x-close-codes'].map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining([...Object.values(closeCodes), 1006, 1007, 1009]))
    for (const code of codes) expect(ws.description).toContain(`- ${code}`)
    expect(Object.keys(ws['x-error-codes'])).toEqual([...chatErrorCodes])
    expect(ws['x-limits']['`message`']).toContain(String(maxUnits.message))
  })

  test('every message and every payload has its own title, so that generated models have names', () => {
    const titles: string[] = []
    const collect = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return
      if ('title' in part && typeof part.title === 'string') titles.push(part.title)
      for (const inner of Object.values(part)) collect(inner)
    }
    collect(chat.channels.ws.messages)
    for (const title of [
      'ChatSend',
      'ChatSendMessage',
      'ChatSendPayload',
      'PlayerChangedEventPayload',
      'PlayersSnapshotPayload',
    ])
      expect(titles).toContain(title)
    expect(new Set(titles).size).toBe(titles.length)
    for (const { type, payload } of messageCatalogue) {
      const described = JSON.stringify(chat.channels.ws.messages[type])
      const name = type.replaceAll(/(?:^|_)(.)/g, (_whole, letter: string) => letter.toUpperCase())
      expect(described).toContain(`"title":"${name}Message"`)
      if (payload !== undefined) expect(described).toContain(`"title":"${name}Payload"`)
    }
  })

  test('the payload of every event is described', () => {
    const payload = v.parse(
      v.looseObject({
        properties: v.looseObject({
          payload: v.looseObject({
            anyOf: v.array(
              v.looseObject({
                properties: v.looseObject({
                  topic: v.looseObject({ const: v.string() }),
                  event: v.optional(v.looseObject({ const: v.string() })),
                }),
              }),
            ),
          }),
        }),
      }),
      chat.channels.ws.messages['event']?.payload,
    )
    const described = payload.properties.payload.anyOf.map(({ properties: { event, topic } }) => [
      event?.const ?? 'line',
      topic.const,
    ])
    expect(Object.fromEntries(described)).toEqual({ ...topicOfEvent, line: 'log' })
  })

  test('every message is described, and its example matches its schema', () => {
    expect(Object.keys(chat.channels.ws.messages)).toEqual(messageCatalogue.map(({ type }) => type))
    for (const [type, { payload, examples }] of Object.entries(chat.channels.ws.messages))
      for (const example of examples) expect([type, misfits(payload, example.payload)]).toEqual([type, null])
  })

  test('real messages match their described schemas', async () => {
    const client = await openAuthenticated(server, { since: 5 })
    client.send({ type: 'subscribe', payload: { topics: ['players', 'status', 'cabins'] } })
    client.send({ type: 'nothing' })
    client.send({ type: 'chat_send', payload: { author: 'Bot', message: '', id: 'blank' } })
    client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'hello', id: 7 } })
    await client.take('chat_sent')
    const ahead = await openAuthenticated(server, { since: Number.MAX_SAFE_INTEGER })
    await ahead.take('gap')
    await eventually(() => expect(client.messages('snapshot')).toHaveLength(3))
    await server.farm.join({ id: 5n, name: 'Sent' })
    await server.farm.leave(5n)
    await server.farm.festival(true)
    await server.farm.join({ id: 5n, name: 'Sent' })
    await server.farm.say(5n, 'described')
    await client.take('chat')
    await client.settled()
    expect(new Set(client.messages().map(({ type }) => type))).toEqual(
      new Set([
        'auth_success',
        'gap',
        'subscribed',
        'snapshot',
        'event',
        'error',
        'chat',
        'chat_sent',
        'pong',
      ]),
    )
    for (const message of [...client.messages(), ...ahead.messages()])
      expect([
        message.type,
        misfits(chat.channels.ws.messages[message.type]?.payload ?? expect.fail(message.type), message),
      ]).toEqual([message.type, null])
  })
})
