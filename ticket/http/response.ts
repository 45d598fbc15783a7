import { randomUUID } from 'node:crypto'
import { rawMessage } from '../../lib/raw-response.ts'
import type { TicketAnswer } from './routes/route.ts'

/** @param requestId as the caller has sent it; a new one is made when it is missing or has other than visible ASCII */
export function responseOf(answer: TicketAnswer, requestId?: string): Response {
  return new Response(textOf(answer), { status: answer.status, headers: headersOf(answer, requestId) })
}

/** @returns an answer as bytes, the last of their connection */
export function bytesOf(answer: TicketAnswer): Buffer {
  return rawMessage(answer.status, Object.entries(headersOf(answer)), Buffer.from(textOf(answer)))
}

const textOf = ({ body }: TicketAnswer): string => (typeof body === 'string' ? body : JSON.stringify(body))

const headersOf = ({ headers }: TicketAnswer, requestId?: string): Readonly<Record<string, string>> => ({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id':
    requestId !== undefined && /^[\x21-\x7e]{1,128}$/.test(requestId) ? requestId : randomUUID(),
  ...headers,
})
