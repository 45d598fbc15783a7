import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { Problem } from '../problem.ts'
import { isReceiver, newWebhook, notReceiver, webhookRequest } from '../webhook-record.ts'

export const createWebhook = endpoint('POST /webhooks', {
  at: 'farm',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'createWebhook',
  summary: 'Makes a webhook; this answer is the only one that shows the secret it signs with',
  body: jsonBody(
    webhookRequest,
    {
      name: 'Farm channel',
      url: 'https://hooks.example/junimo',
      events: ['player.joined', 'player.left'],
      format: 'standard',
    },
    // The URL is a secret.
    ({ name, url, events, format }) => ({
      name,
      ...(typeof url === 'string' && isReceiver(url) && { origin: new URL(url).origin }),
      events,
      format,
    }),
  ),
  status: 201,
  keeps: true,
  result: newWebhook,
  example: {
    id: '6f1c2a9b03de',
    name: 'Farm channel',
    origin: 'https://hooks.example',
    events: ['player.joined', 'player.left'],
    format: 'standard',
    createdAt: '2026-11-21T12:00:00.000Z',
    waiting: 0,
    secret: 'whsec_<secret>',
  },
  problems: ['refused_address', 'too_many_webhooks'],
  async handle({ body }, { records }) {
    if (!isReceiver(body.url)) throw new Problem('invalid_parameter', notReceiver, { parameter: 'url' })
    return records.makeWebhook(body)
  },
})
