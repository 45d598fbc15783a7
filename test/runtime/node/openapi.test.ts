/** OpenAPI, checked against the schema of the format and against real answers. */

import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv as AjvDraft7 } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import * as v from 'valibot'
import { afterAll, describe, expect, test } from 'vitest'
import { messageCatalogue } from '../../../handlers/chat/catalogue.ts'
import { chatErrorCodes, closeCodes, topicOfEvent } from '../../../handlers/chat/messages.ts'
import { maxUnits } from '../../../handlers/chat-line.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../../handlers/endpoints/fleet-endpoints.ts'
import { statusOf } from '../../../handlers/problem-table.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { ask, askWithKey } from '../../contract/request.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'

const media = v.looseObject({ schema: v.looseObject({}), example: v.optional(v.unknown()) })
const operation = v.looseObject({
  operationId: v.string(),
  summary: v.string(),
  security: v.optional(v.array(v.record(v.string(), v.unknown()))),
  parameters: v.optional(
    v.array(
      v.looseObject({
        name: v.string(),
        in: v.string(),
        required: v.boolean(),
        description: v.string(),
        schema: v.looseObject({}),
        example: v.optional(v.unknown()),
      }),
    ),
    [],
  ),
  responses: v.record(
    v.string(),
    v.looseObject({
      description: v.string(),
      headers: v.optional(v.record(v.string(), v.unknown())),
      content: v.optional(v.record(v.string(), media)),
    }),
  ),
})
const openApi = v.looseObject({
  paths: v.record(v.string(), v.record(v.string(), operation)),
  components: v.looseObject({ schemas: v.record(v.string(), v.looseObject({})) }),
})
const asyncApi = v.looseObject({
  channels: v.object({
    ws: v.looseObject({
      messages: v.record(
        v.string(),
        v.looseObject({
          payload: v.looseObject({}),
          examples: v.array(v.looseObject({ payload: v.unknown() })),
        }),
      ),
    }),
  }),
})

const ajv = new Ajv2020({ strict: false, formats: { int64: true } })
formats.default(ajv)

interface DescribedApi {
  readonly server: NodeServer
  /** `/openapi.json` */
  readonly described: v.InferOutput<typeof openApi>
  /** `/asyncapi.json` */
  readonly chat: v.InferOutput<typeof asyncApi>
  operationOf(method: string, path: string): v.InferOutput<typeof operation>
  /** Where a value does not fit a schema of the document. */
  misfits(schema: object, value: unknown): unknown
}

/** By the text of the schema: many answers have the same. */
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

/** The server is stopped after the tests of the file. */
async function describedApi(): Promise<DescribedApi> {
  const server = await nodeServer()
  afterAll(() => server.stop())
  const described = v.parse(openApi, (await ask(server, 'GET', '/openapi.json')).json)
  return {
    server,
    described,
    chat: v.parse(asyncApi, JSON.parse((await ask(server, 'GET', '/asyncapi.json')).text)),
    operationOf: (method, path) =>
      described.paths[path]?.[method.toLowerCase()] ?? expect.fail(`${method} ${path} is not described`),
    misfits(schema, value) {
      const text = JSON.stringify(schema)
      const validate = compiled.get(text) ?? ajv.compile({ ...schema, components: described.components })
      compiled.set(text, validate)
      return validate(value) ? null : validate.errors
    },
  }
}
const { server, described, operationOf, misfits, chat } = await describedApi()

describe('OpenAPI', () => {
  test('/openapi.json is valid OpenAPI 3.1, and /swagger/v1/swagger.json the same', async () => {
    const validator = new Validator()
    const [{ text }, swagger] = [
      await ask(server, 'GET', '/openapi.json'),
      await ask(server, 'GET', '/swagger/v1/swagger.json'),
    ]
    expect(swagger.text).toBe(text)
    const document = v.parse(v.looseObject({}), JSON.parse(text))
    const { valid, errors } = await validator.validate(document)
    expect([valid, errors ?? []]).toEqual([true, []])
    expect(validator.version).toBe('3.1')
  })

  test('every endpoint is described with operationId and summary, each id once', () => {
    const ids = Object.values(described.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const { method, path, operationId, summary } of [...endpoints, ...fleetEndpoints])
      expect(operationOf(method, path)).toMatchObject({ operationId, summary })
    expect(operationOf('POST', '/newgame')).toHaveProperty('requestBody')
    for (const path of ['/metrics', '/ws']) expect(operationOf('GET', path).summary).not.toBe('')
  })

  test('the errors of one status have the members of all their codes', () => {
    const { allOf } = v.parse(
      v.looseObject({ allOf: v.array(v.looseObject({ properties: v.optional(v.looseObject({}), {}) })) }),
      operationOf('POST', '/saves/choose').responses['409']?.content?.['application/json']?.schema,
    )
    const members = allOf.flatMap(({ properties }) => Object.keys(properties))
    expect(members).toEqual(['operation', 'host'])
  })

  test('every parameter is described with a schema that its example matches', () => {
    for (const { method, path, parameters } of endpoints) {
      const listed = operationOf(method, path).parameters.filter((parameter) => parameter.in === 'query')
      expect(listed.map(({ name }) => name)).toEqual(Object.keys(parameters))
      for (const { name, required, schema, example } of listed) {
        expect(required).toBe(parameters[name]?.required)
        if (example !== undefined)
          expect([
            path,
            name,
            misfits(
              schema,
              Number.isSafeInteger(Number(example)) || typeof example !== 'bigint'
                ? example
                : Number(example),
            ),
          ]).toEqual([path, name, null])
      }
    }
  })

  test('a part of a path that is a parameter is described as one', () => {
    expect(operationOf('PUT', '/farms/{farm}').parameters[0]).toMatchObject({ name: 'farm', in: 'path' })
  })

  test('records are named schemas, and every answer refers to them by $ref', () => {
    expect(Object.keys(described.components.schemas)).toEqual(
      expect.arrayContaining([
        'Player',
        'Players',
        'Status',
        'Farmhand',
        'Farmhands',
        'Cabin',
        'Cabins',
        'Settings',
        'Stats',
        'Screenshot',
        'PasswordProtection',
        'NewGame',
        'Error',
      ]),
    )
    for (const [path, name] of [
      ['/players', 'Players'],
      ['/wait/players', 'Players'],
      ['/farmhands', 'Farmhands'],
      ['/status', 'Status'],
      ['/cabins', 'Cabins'],
      ['/settings', 'Settings'],
    ] as const)
      expect(operationOf('GET', path).responses['200']?.content?.['application/json']?.schema).toEqual({
        $ref: `#/components/schemas/${name}`,
      })
    expect(described.components.schemas['Players']).toMatchObject({
      properties: { players: { items: { $ref: '#/components/schemas/Player' } } },
    })
  })

  test('the example of a write without an answer does not say that trying again can help', () => {
    const example = (method: string, path: string) =>
      operationOf(method, path).responses['504']?.content?.['application/json']?.example
    expect(example('POST', '/time')).not.toHaveProperty('retry')
    expect(example('GET', '/players')).toHaveProperty('retry', true)
  })

  test('Retry-After is described on the responses that carry it, and on no others', () => {
    const carrying =
      /rate_limited|unavailable|not_ready|save_in_progress|saves_locked|not_configured|settings_changed|too_many_clients|game_timeout/
    for (const [path, item] of Object.entries(described.paths))
      for (const { responses } of Object.values(item))
        for (const [status, { description, headers = {} }] of Object.entries(responses))
          expect([path, status, 'Retry-After' in headers]).toEqual([
            path,
            status,
            Number(status) >= 400 && carrying.test(description),
          ])
  })

  test('every operation requires a key that has its scope, except the public ones', () => {
    for (const { method, path, access, scope } of endpoints) {
      const { security } = operationOf(method, path)
      const ofAKey = [{ key: scope === undefined ? [] : [scope] }]
      expect([path, security]).toEqual([path, access === 'public' ? expect.arrayContaining([{}]) : ofAKey])
    }
    for (const { method, path } of fleetEndpoints)
      expect(operationOf(method, path).security).toEqual([{ fleetKey: [] }])
    expect(described['security']).toEqual([{ key: [] }])
  })

  test('every error is described under its status with the common error schema', () => {
    for (const { method, path, access, problems } of endpoints) {
      const { responses } = operationOf(method, path)
      for (const code of [
        ...problems,
        'internal_error',
        'rate_limited',
        ...(access === 'key' ? ['unauthorized' as const] : []),
      ] as const)
        expect([path, code, responses[statusOf(code)]?.description ?? '']).toEqual([
          path,
          code,
          expect.stringMatching(code === 'wait_timeout' ? /time/ : code),
        ])
    }
    const codes = v.parse(
      v.looseObject({ properties: v.looseObject({ code: v.looseObject({ enum: v.array(v.string()) }) }) }),
      described.components.schemas['Error'],
    )
    expect(codes.properties.code.enum).toEqual(expect.arrayContaining(['invalid_parameter', 'game_timeout']))
  })

  test('every JSON answer has an example that matches its schema', () => {
    for (const [path, item] of Object.entries(described.paths))
      for (const { responses } of Object.values(item))
        for (const [status, { content }] of Object.entries(responses)) {
          const body = content?.['application/json']
          if (body === undefined) continue
          expect([path, status, body.example]).toEqual([path, status, expect.anything()])
          const example = JSON.parse(
            JSON.stringify(body.example, (_key, value) =>
              typeof value === 'bigint' ? Number(value) : value,
            ),
          )
          expect([path, status, misfits(body.schema, example)]).toEqual([path, status, null])
        }
  })

  test('real answers match their described schemas', async () => {
    await server.farm.join({ id: 2n ** 62n, name: 'Described' })
    const calls = [
      ...endpoints
        .filter(
          ({ method, parameters }) =>
            method === 'GET' && !Object.values(parameters).some(({ required }) => required),
        )
        .map(({ path }) => ['GET', path] as const),
      ['POST', '/time?value=900'],
      ['POST', '/time?value=1'],
      ['POST', '/rendering?fps=1'],
      ['POST', '/roles/admin?name=described'],
      ['POST', '/roles/admin?name=nobody'],
      ['DELETE', '/farmhands?name=described'],
      ['DELETE', '/farmhands'],
    ] as const
    for (const [method, path] of calls)
      for (const reply of [await askWithKey(server, method, path), await ask(server, method, path)]) {
        const response = operationOf(method, path.replace(/\?.*/, '')).responses[reply.status]
        expect([method, path, reply.status, response === undefined]).toEqual([
          method,
          path,
          reply.status,
          false,
        ])
        const schema = response?.content?.['application/json']?.schema
        if (schema !== undefined)
          expect([path, reply.status, misfits(schema, JSON.parse(reply.text))]).toEqual([
            path,
            reply.status,
            null,
          ])
      }
  })
})

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

const property = v.looseObject({
  format: v.optional(v.string()),
  items: v.optional(v.looseObject({ format: v.optional(v.string()) })),
})
const objectSchema = v.looseObject({
  type: v.literal('object'),
  properties: v.record(v.string(), property),
  required: v.optional(v.array(v.string())),
})

/** Every schema of an object in a document, at any depth. */
function* objectSchemas(part: unknown): Generator<v.InferOutput<typeof objectSchema>> {
  if (typeof part !== 'object' || part === null) return
  if (v.is(objectSchema, part)) yield part
  for (const inner of Object.values(part)) yield* objectSchemas(inner)
}

test('ids are int64 integers, and in requests also decimal texts of at most 20 characters', () => {
  for (const [method, path] of [
    ['POST', '/roles/admin'],
    ['DELETE', '/farmhands'],
    ['POST', '/farmhands/rebind'],
  ] as const)
    expect(operationOf(method, path).parameters.find(({ name }) => name === 'playerId')?.schema).toEqual({
      anyOf: [
        { type: 'integer', format: 'int64' },
        { type: 'string', pattern: '^-?[0-9]{1,19}$', maxLength: 20 },
      ],
    })
  for (const [record, member] of [
    ['Player', 'id'],
    ['Farmhand', 'id'],
    ['Cabin', 'ownerId'],
  ] as const)
    expect(described.components.schemas[record]).toMatchObject({
      properties: { [member]: { type: 'integer', format: 'int64' } },
      required: expect.arrayContaining([member]),
    })
})

test('every int64 id has its text right after it, in OpenAPI and in AsyncAPI', () => {
  for (const document of [described, chat]) {
    const found = [...objectSchemas(document)].flatMap(({ properties, required = [] }) =>
      Object.entries(properties).flatMap(([member, property], at) => {
        const isList = property.items?.format === 'int64'
        if (property.format !== 'int64' && !isList) return []
        const text = isList ? member.replace(/s$/, 'Texts') : `${member}Text`
        expect(Object.keys(properties)[at + 1]).toBe(text)
        const described = { type: 'string', pattern: '^-?[0-9]+$' }
        expect(properties[text]).toMatchObject(isList ? { type: 'array', items: described } : described)
        expect(required.includes(text)).toBe(required.includes(member))
        return [member]
      }),
    )
    expect(new Set(found)).toEqual(
      new Set(['id', 'ownerId', 'savedPositionPlayerIds', ...(document === chat ? [] : ['playerId'])]),
    )
  }
})

test('the ids of every example agree with their texts', async () => {
  const { text } = await ask(server, 'GET', '/openapi.json')
  const pairs = [
    ...text.matchAll(/"(?:id|ownerId|playerId)":(-?\d+),"(?:id|ownerId|playerId)Text":"(-?\d+)"/g),
  ]
  expect(pairs.length).toBeGreaterThan(3)
  for (const [, id, written] of pairs) expect(written).toBe(id)
})
