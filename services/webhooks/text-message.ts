/** Plain text with a `Title` header, as ntfy and others accept it. */
import type { WaitingDelivery } from '../records/deliveries-table.ts'
import { farmOf, wordsOf } from './event.ts'
import type { Message } from './message.ts'

export const textMessage = ({ id, event, data }: WaitingDelivery): Message => ({
  headers: {
    'Content-Type': 'text/plain; charset=utf-8',
    Title: headerText(farmOf(event, data)),
    'webhook-id': `msg_${id}`,
  },
  body: wordsOf(event, data),
})

/** A header holds ASCII; anything else is written as an encoded word (RFC 2047), which ntfy reads. */
const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
