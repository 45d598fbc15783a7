/** The AsyncAPI 3 document of the chat relay, made from the catalogue of its messages. */
import type { JsonSchema } from '@valibot/to-json-schema'
import { type MessageDescription, messageCatalogue } from '../../handlers/chat/catalogue.ts'
import { closings, errorMeanings, limits } from '../../handlers/chat/reference.ts'
import { version } from '../../lib/version.ts'
import { jsonSchemaOf, namedSchemas, shownRecord } from './json-schema.ts'

const refs = (from: MessageDescription['from']) =>
  messageCatalogue
    .filter((message) => message.from === from)
    .map(({ type }) => ({ $ref: `#/channels/ws/messages/${type}` }))

export function asyncApi(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'farmgate chat relay',
      version,
      description: [
        'A WebSocket of text frames, each one JSON object: `{"type": …, "payload": …}`. With a key set, the first message is `auth`.',
        'A page where a person has signed in offers the protocols `farmgate` and `session.<secret>`, and needs no token: the cookie and the secret of the session count together.',
        `Limits:\n\n${list(Object.entries(limits).map(([what, value]) => `${what}: ${value}`))}`,
      ].join('\n\n'),
      license: { name: 'MIT' },
    },
    servers,
    defaultContentType: 'application/json',
    channels: {
      ws: {
        address: '/ws',
        description: [
          'Close codes:',
          list(
            closings.map(
              ({ code, reason, cause, cure }) => `${code}${reason && ` \`${reason}\``}: ${cause}; ${cure}`,
            ),
          ),
        ].join('\n\n'),
        servers: Object.keys(servers).map((name) => ({ $ref: `#/servers/${name}` })),
        messages: Object.fromEntries(messageCatalogue.map((message) => [message.type, described(message)])),
        'x-close-codes': closings,
        'x-error-codes': errorMeanings,
        'x-limits': limits,
      },
    },
    operations: {
      receiveFromClient: { action: 'receive', channel: { $ref: '#/channels/ws' }, messages: refs('client') },
      sendToClient: { action: 'send', channel: { $ref: '#/channels/ws' }, messages: refs('server') },
    },
    components: {
      schemas: namedSchemas(),
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'password',
          description:
            'API_KEY or a named key, as `payload.token` of the first message, `auth`. Chat lines are sent to keys that have the scope `read` or `chat`',
        },
      },
    },
  }
}

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')

const security = [{ $ref: '#/components/securitySchemes/key' }]
const servers = {
  farm: {
    host: '{host}',
    protocol: 'ws',
    description: "A farm's own machine; wss behind a proxy that ends TLS",
    variables: { host: { default: '127.0.0.1:8080', description: 'API_HOST and API_PORT' } },
    security,
  },
  edge: {
    host: '{host}',
    protocol: 'wss',
    description: 'The default farm of an edge',
    variables: {
      host: { default: 'farmgate.example.workers.dev', description: 'The address of the Worker' },
    },
    security,
  },
  fleet: {
    host: '{host}',
    pathname: '/farms/{farm}',
    protocol: 'wss',
    description: 'One of many farms at an edge',
    variables: {
      host: { default: 'farmgate.example.workers.dev', description: 'The address of the Worker' },
      farm: { default: 'clover', description: 'The name of the farm' },
    },
    security,
  },
}

/** `chat_send` as the name of a generated model: `ChatSend`. */
const modelName = (type: string) =>
  type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The schema of a payload with its name; several have separate names, by their event or their topic. */
function titled(schema: JsonSchema, name: string): JsonSchema {
  const { oneOf = schema.anyOf } = schema
  if (oneOf === undefined) return { title: `${name}Payload`, ...schema }
  const each = oneOf.map((one) => {
    if (typeof one === 'boolean') return one
    const { event, topic } = one.properties ?? {}
    const known = event ?? topic
    const of = typeof known === 'object' ? modelName(String(known.const)) : 'Chat'
    return { title: `${of}${name}Payload`, ...one }
  })
  return {
    title: `${name}Payload`,
    ...schema,
    ...(schema.oneOf === undefined ? { anyOf: each } : { oneOf: each }),
  }
}

const described = ({ type, scope, summary, payload, example }: MessageDescription) => ({
  name: type,
  title: modelName(type),
  summary,
  ...(scope !== undefined && { description: `Scope: ${scope}` }),
  payload: {
    title: `${modelName(type)}Message`,
    type: 'object',
    required: payload === undefined ? ['type'] : ['type', 'payload'],
    properties: {
      type: { const: type },
      ...(payload !== undefined && { payload: titled(jsonSchemaOf(payload), modelName(type)) }),
      ...(type === 'auth_failed' && { error: { type: 'string' } }),
    },
  },
  examples: [{ payload: shownRecord(example) }],
})
