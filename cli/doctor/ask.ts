/** One request of the doctor: its answer, and its duration. */

import { errorCode } from '../../lib/error-code.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { foreignValue } from '../../lib/foreign/read.ts'

export interface Asked {
  readonly status: number
  /** Undefined for a body that is not JSON. */
  readonly body: unknown
  readonly text: string
  /** From the request to the whole answer. */
  readonly milliseconds: number
}

/** Milliseconds for one answer. */
const timeout = 5000
/** Bytes of one answer. */
const maxAnswer = 8 * 1024 * 1024

/** @returns the answer, or why there is none */
export async function ask(
  url: string,
  { key = '', signal }: { readonly key?: string; readonly signal: AbortSignal },
): Promise<Asked | { readonly cause: string }> {
  const began = performance.now()
  try {
    const answer = await fetch(url, {
      headers: key === '' ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      redirect: 'manual',
    })
    const read = await bodyText(answer.body, maxAnswer)
    if ('fault' in read)
      return { cause: read.fault === 'too_large' ? 'its answer is too long' : 'its answer ended early' }
    const { text } = read
    const milliseconds = Math.round(performance.now() - began)
    return { status: answer.status, body: foreignValue(text), text, milliseconds }
  } catch (error) {
    signal.throwIfAborted()
    return { cause: causeOf(error) }
  }
}

/** The code of the system's error, such as ECONNREFUSED, which `fetch` has as the cause of its own. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown cause'
  if (error.name === 'TimeoutError') return `no answer within ${timeout / 1000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return errorCode(cause) ?? cause.message
}
