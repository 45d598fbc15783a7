import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { foundWebhook, webhookIdParameter } from './webhook-parameters.ts'

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/webhooks',
  access: 'key',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'deleteWebhook',
  summary: 'Deletes a webhook, with its URL, its secret and its deliveries',
  parameters: { id: webhookIdParameter },
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: { success: true, message: 'Webhook 6f1c2a9b03de is deleted' },
  problems: ['webhook_not_found'],
  async handle({ query: { id } }, _game, records) {
    await foundWebhook(id, (known) => records.deleteWebhook(known))
    return { success: true as const, message: `Webhook ${id} is deleted` }
  },
})
