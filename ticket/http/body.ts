import { bodyText } from '../../lib/foreign/body-text.ts'
import { foreignValue } from '../../lib/foreign/read.ts'
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
      : invalidBody('body: ended early')
  }
  const body = foreignValue(read.text)
  if (body === undefined) throw invalidBody('body: must be JSON')
  return body
}
