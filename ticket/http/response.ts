import { randomUUID } from 'node:crypto'
import type { TicketAnswer } from './routes/route.ts'

/** @param requestId as the caller has sent it; a new one is made when it is missing or has other than visible ASCII */
export function responseOf({ status, body, headers }: TicketAnswer, requestId?: string): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id':
        requestId !== undefined && /^[\x21-\x7e]{1,128}$/.test(requestId) ? requestId : randomUUID(),
      ...headers,
    },
  })
}
