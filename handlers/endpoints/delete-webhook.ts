import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import { foundWebhook, webhookIdParameter } from './webhook-parameters.ts'

export const deleteWebhook = endpoint('DELETE /webhooks', {
  at: 'farm',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'deleteWebhook',
  summary: 'Deletes a webhook, with its URL, its secret and its deliveries',
  parameters: { id: webhookIdParameter },
  result: deletionResult,
  example: { success: true, message: 'Webhook 6f1c2a9b03de is deleted' },
  problems: ['webhook_not_found'],
  async handle({ query: { id } }, { records }) {
    const stored = await foundWebhook(records.deleteWebhook(id))
    return deletionAnswer(`Webhook ${id} is deleted`, stored)
  },
})
