import { bodyText } from '../../lib/body-text.ts'
import { HttpProblem, invalidBody, problem } from './routes/problems.ts'

/** Largest accepted body in bytes. Bodies of the game server have a few hundred. */
const maxBodyBytes = 65_536

/**
 * Reads a JSON body.
 * @param over aborted when no more of it comes
 * @throws HttpProblem 400, 413 or 415
 */
export async function readBody(request: Request, over?: AbortSignal): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:[\w.]+\+)?json\b/i.test(type)) {
    throw new HttpProblem(problem(415, 'unsupported_media_type', 'Send Content-Type: application/json'))
  }
  const read = await bodyText(request.body, maxBodyBytes, over)
  if (!('text' in read)) {
    throw read.fault === 'too_large'
      ? new HttpProblem(problem(413, 'payload_too_large', `A body may have at most ${maxBodyBytes} bytes`))
      : invalidBody('body: broke off before its end')
  }
  try {
    return parseExactly(read.text)
  } catch {
    throw invalidBody('body: must be JSON')
  }
}

/** Third argument of a reviver: the text of a number as it was sent. TypeScript's library has no type for it yet. */
interface NumberSource {
  readonly source?: string
}

/**
 * Parses JSON. Whole numbers outside the safe integer range become bigints, because the game server sends 64-bit ids as
 * JSON numbers. @throws SyntaxError
 */
function parseExactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: NumberSource): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    return context?.source && /^-?[0-9]+$/.test(context.source) ? BigInt(context.source) : value
  }
  return JSON.parse(text, reviver)
}
