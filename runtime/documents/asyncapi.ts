/** AsyncAPI 3 of the chat relay, made from the catalogue of its messages. */
import { type MessageDescription, messageCatalogue } from '../../handlers/chat/catalogue.ts'
import { version } from '../version.ts'
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
      description:
        'Text frames of one JSON object. With a key set, send auth within 10 seconds; at most 16 KiB a message.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: {
      ws: {
        address: '/ws',
        messages: Object.fromEntries(messageCatalogue.map((message) => [message.type, described(message)])),
      },
    },
    operations: {
      receiveFromClient: { action: 'receive', channel: { $ref: '#/channels/ws' }, messages: refs('client') },
      sendToClient: { action: 'send', channel: { $ref: '#/channels/ws' }, messages: refs('server') },
    },
    components: { schemas: namedSchemas() },
  }
}

const described = ({ type, summary, payload, example }: MessageDescription) => ({
  name: type,
  summary,
  payload: {
    type: 'object',
    required: payload === undefined ? ['type'] : ['type', 'payload'],
    properties: {
      type: { const: type },
      ...(payload !== undefined && { payload: jsonSchemaOf(payload) }),
      ...(type === 'auth_failed' && { error: { type: 'string' } }),
    },
  },
  examples: [{ payload: shownRecord(example) }],
})
