import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { text } from '../parameter.ts'
import { Problem } from '../problem.ts'

/** Ids are microseconds since 1970. */
const idPattern = /^[1-9][0-9]{0,15}$/

export const replayDelivery = endpoint('POST /webhooks/replay', {
  at: 'farm',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'replayDelivery',
  summary: 'Sends a finished delivery again with the same webhook-id, or tries a waiting one now',
  parameters: {
    deliveryId: text({ description: "The delivery's id", example: '1795258800000000' }),
  },
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: { success: true, message: 'Delivery 1795258800000000 is being sent' },
  problems: ['delivery_not_found'],
  async handle({ query: { deliveryId } }, { records }) {
    const isId = idPattern.test(deliveryId) && Number.isSafeInteger(Number(deliveryId))
    if (!isId || !(await records.replayDelivery(deliveryId)))
      throw new Problem('delivery_not_found', 'Delivery not found')
    return { success: true as const, message: `Delivery ${deliveryId} is being sent` }
  },
})
