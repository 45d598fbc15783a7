import { endpoint } from '../endpoint.ts'
import { before, pageLimit, pageOf } from '../parameter.ts'
import { deliveryPage } from '../webhook-record.ts'
import { foundWebhook, webhookIdParameter } from './webhook-parameters.ts'

export const webhookDeliveries = endpoint('GET /webhooks/deliveries', {
  at: 'farm',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'getWebhookDeliveries',
  summary: 'Past and waiting deliveries of a webhook, with their outcome; newest first',
  parameters: { id: webhookIdParameter, before, limit: pageLimit('Deliveries') },
  result: deliveryPage,
  example: {
    deliveries: [
      {
        id: '1795258800000000',
        event: 'player.joined',
        madeAt: '2026-11-21T12:00:00.000Z',
        state: 'waiting',
        tries: 2,
        nextTryAt: '2026-11-21T12:05:12.000Z',
        status: 502,
        error: 'status',
      },
    ],
    next: '1795258800000000',
  },
  problems: ['webhook_not_found'],
  handle: ({ query }, { records }) => foundWebhook(records.webhookDeliveries(pageOf(query))),
})
