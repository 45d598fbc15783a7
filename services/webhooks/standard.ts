/** Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks). */
import { isoTime } from '../../handlers/iso-time.ts'
import type { WaitingDelivery } from '../records/deliveries-table.ts'
import type { Message } from './message.ts'

/** @param now milliseconds since 1970 */
export async function standardMessage(
  { id, event, data, madeAt }: Pick<WaitingDelivery, 'id' | 'data' | 'madeAt'> & { readonly event: string },
  secret: Uint8Array,
  now: number,
): Promise<Message> {
  const messageId = `msg_${id}`
  const timestamp = String(Math.floor(now / 1000))
  const body = `{"type":${JSON.stringify(event)},"timestamp":"${isoTime(madeAt)}","data":${data}}`
  return {
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${await signature(secret, `${messageId}.${timestamp}.${body}`)}`,
    },
    body,
  }
}

async function signature(secret: Uint8Array, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), algorithm, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return Buffer.from(signed).toString('base64')
}
