import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { foundWebhook, webhookIdParameter } from './webhook-parameters.ts'

export const testWebhook = endpoint('POST /webhooks/test', {
  at: 'farm',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'testWebhook',
  summary: 'Sends one test at once, before all waiting deliveries; its delivery shows the outcome',
  parameters: { id: webhookIdParameter },
  result: v.object({ success: v.literal(true), message: v.string(), deliveryId: v.string() }),
  example: {
    success: true,
    message: 'A test is being sent; its delivery will show the outcome',
    deliveryId: '1795258800000000',
  },
  problems: ['webhook_not_found'],
  async handle({ query: { id } }, { records }) {
    const deliveryId = await foundWebhook(records.testWebhook(id))
    return {
      success: true as const,
      message: 'A test is being sent; its delivery will show the outcome',
      deliveryId,
    }
  },
})
