/** The paths of the control API that are not endpoints, as operations of the OpenAPI document. */
import { setupView } from '../../handlers/setup.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { everywhere, problemResponses } from './problem-responses.ts'

const waiting = {
  state: 'waiting',
  qr: { url: 'https://s.team/q/1/2346734', expiresAt: '2026-11-21T12:00:30.000Z' },
}
const firstKey = { key: 'fg_6f1c2a9b03de_c29tZSByYW5kb20gYnl0ZXMgb2YgYSBrZXkhISE' }
const keySchema = { type: 'object', required: ['key'], properties: { key: { type: 'string' } } }

const setupPath = (path: string, method: 'get' | 'post', operationId: string, summary: string) => ({
  path: `/setup${path}`,
  method,
  operationId,
  summary: `${summary} (/help/ticket-service); with Authorization: Setup <code>, at the farm's own address`,
  tags: ['Server'],
  security: [{}],
  responses: {
    [method === 'get' ? 200 : path === '/key' ? 201 : 202]: {
      description: path === '/key' ? 'The key' : 'The state of the set-up',
      content: {
        'application/json':
          path === '/key'
            ? { schema: keySchema, example: firstKey }
            : { schema: jsonSchemaOf(setupView), example: waiting },
      },
    },
    ...problemResponses([
      'unauthorized',
      'other_browser',
      'origin_not_allowed',
      'not_found',
      ...(path === '/download' ? (['not_signed_in'] as const) : []),
      ...(path === '/key' ? (['keys_exist'] as const) : []),
      'unsupported',
      'ticket_service_unavailable',
      ...everywhere,
    ]),
  },
})

export const otherPaths = [
  setupPath('', 'get', 'getSetup', 'The state of the set-up in the browser'),
  setupPath('/sign-in', 'post', 'beginSetupSignIn', 'Begins or renews the sign-in to Steam by QR code'),
  setupPath('/download', 'post', 'beginSetupDownload', 'Begins or continues the download of the game'),
  setupPath('/key', 'post', 'makeSetupKey', 'Makes the first key of the farm'),
  {
    path: '/discord/interactions',
    method: 'post',
    operationId: 'answerDiscord',
    summary: 'Commands of /farm in Discord, which signs each request (/help/notifications)',
    tags: ['Discord'],
    security: [{}],
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: {
      200: {
        description: 'A message',
        content: { 'application/json': { schema: { type: 'object' }, example: { type: 1 } } },
      },
      ...problemResponses([
        'malformed_request',
        'unauthorized',
        'origin_not_allowed',
        'not_found',
        'payload_too_large',
        ...everywhere,
      ]),
    },
  },
  {
    path: '/ws',
    method: 'get',
    operationId: 'openChat',
    summary: 'The chat relay: open it as a WebSocket and authenticate by message (asyncapi.json)',
    tags: ['Server'],
    security: [{}],
    responses: {
      101: { description: 'Switching protocols' },
      ...problemResponses([
        'malformed_request',
        'origin_not_allowed',
        'upgrade_required',
        'too_many_clients',
        ...everywhere,
      ]),
    },
  },
] as const
