/** The paths of the control API that are not endpoints, as operations of the OpenAPI document. */
import { everywhere, problemResponses } from './problem-responses.ts'

export const otherPaths = [
  {
    path: '/discord/interactions',
    method: 'post',
    operationId: 'answerDiscord',
    summary: 'Commands of /farm in Discord, which signs each request (docs/notifications.md)',
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
