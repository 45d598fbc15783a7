/** Servers with a fault. */
import { createServer } from 'node:http'
import manifest from '../../package.json' with { type: 'json' }
import { portOf } from '../port-of.ts'
import { pause } from '../wait.ts'

interface Answer {
  readonly status?: number
  readonly body?: unknown
  readonly location?: string
  /** Content type. */
  readonly type?: string
  /** Milliseconds. */
  readonly after?: number
  /** The connection is closed instead of answered. */
  readonly isCut?: true
}

type Answers = Readonly<Record<string, Answer | ((method: string, query: URLSearchParams) => Answer)>>

/**
 * Answers paths; a text is sent as it is, all else as JSON. @param key without which `/players` is 401 @returns its
 * address
 */
export async function answering(answers: Answers, key?: string): Promise<string> {
  const server = createServer(async ({ method = '', url = '', headers, socket }, response) => {
    const [path = '', query] = url.split('?')
    const found = answers[path] ?? { status: 404 }
    const isRefused = key !== undefined && headers.authorization !== `Bearer ${key}` && url === '/players'
    const answer = isRefused
      ? { status: 401 }
      : typeof found === 'function'
        ? found(method, new URLSearchParams(query))
        : found
    const { status = 200, body = {}, location, type, after = 0, isCut } = answer
    if (after > 0) await pause(after)
    if (isCut) return socket.destroy()
    response.writeHead(status, {
      ...(location !== undefined && { location }),
      ...(type !== undefined && { 'content-type': type }),
    })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const port = await portOf(server)
  return `http://127.0.0.1:${port}`
}

/** The answer of `/health`, with some members replaced. */
export function healthWith(replaced: object = {}) {
  const health = { gameAvailable: true, isFrozen: false, ...replaced }
  const status = health.gameAvailable && !health.isFrozen ? 'ok' : 'degraded'
  return { status, timestamp: new Date().toISOString(), ...health }
}

/** A farm without faults, with some answers replaced. */
export const farmWith = (health: object = {}, more: Answers = {}): Answers => ({
  '/health': () => ({ body: healthWith(health) }),
  '/players': { body: { players: [], version: 1 } },
  '/openapi.json': { body: { info: { version: manifest.version } } },
  '/status': { body: { isOnline: true, dayTransitionComplete: true } },
  '/metrics': { body: '' },
  ...more,
})
