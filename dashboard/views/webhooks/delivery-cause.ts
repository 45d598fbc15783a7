import type { WebhookDelivery } from '../../../client/index.ts'
import { webhookTexts } from './texts.ts'

/** Why the last attempt of a delivery failed, and what to do. */
export function deliveryCause({ error, status }: WebhookDelivery): string {
  const text = webhookTexts.value
  if (error === undefined) return ''
  return error === 'status' && status !== undefined
    ? `${text.status(String(status))} ${text.errors.status}`
    : text.errors[error]
}
