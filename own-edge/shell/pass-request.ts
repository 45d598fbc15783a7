/** Passes one HTTP request on to workerd, and its answer back. */
import { type Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { headerPairs } from '../../lib/header-pairs.ts'
import { internalHeaders, keyOfHeader, schemeHeader } from '../../runtime/edge/caller.ts'

/** Headers of one connection (RFC 9110 section 7.6.1), those that only this program may set, and compression. */
const own: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['cf-connecting-ip', 'sec-websocket-extensions', 'x-forwarded-for', 'expect'],
])

/** @param address of the client, which the Worker reads from `CF-Connecting-IP` */
export function headersFor(incoming: IncomingMessage, address: string, isProxied: boolean): string[] {
  const kept: string[] = []
  for (const [name, text] of headerPairs(incoming.rawHeaders)) {
    const lower = name.toLowerCase()
    if (lower === 'host' || own.has(lower) || lower.startsWith(internalHeaders)) continue
    kept.push(name, text)
  }
  const scheme = incoming.headers['x-forwarded-proto']?.toString().split(',').at(-1)?.trim()
  return [
    ...kept,
    ...['Host', incoming.headers.host || 'localhost', 'CF-Connecting-IP', address],
    ...(isProxied && scheme === 'https' ? [schemeHeader, scheme] : []),
  ]
}

/**
 * Name and value of each header of an answer, without those that only this program may see.
 * @param hasKey called when the request had a right key, with whose key it is
 * @param without lower-case names of headers to leave out
 */
export function answerHeaders(
  rawHeaders: readonly string[],
  hasKey: (of: string) => void,
  without: ReadonlySet<string> = new Set(),
): [name: string, value: string][] {
  const sent: [string, string][] = []
  for (const [name, value] of headerPairs(rawHeaders)) {
    const lower = name.toLowerCase()
    if (lower === keyOfHeader) hasKey(value)
    if (!lower.startsWith(internalHeaders) && !without.has(lower)) sent.push([name, value])
  }
  return sent
}

interface PassOptions {
  readonly agent: Agent
  readonly socketPath: string
  /** With its query. */
  readonly path: string
  readonly headers: string[]
  /** Aborted when the connection of the client must end, or is lost. */
  readonly over: AbortSignal
  /** See `answerHeaders`. */
  readonly hasKey: (of: string) => void
}

/**
 * @returns once the answer was sent, or has failed
 * @throws the error of the connection to workerd, before an answer
 */
export function passRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { headers, over, hasKey, ...to }: PassOptions,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const chunked = incoming.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked']
  const { method } = incoming
  const asked = request({ ...to, method, headers: [...headers, ...chunked] })
  let isAnswered = false
  asked.on('response', (answer) => {
    isAnswered = true
    const sent = answerHeaders(answer.rawHeaders, hasKey, own)
    outgoing.writeHead(answer.statusCode ?? 502, sent.flat())
    pipeline(answer, outgoing, (error) => {
      // The client could take an ordinary end for that of the answer.
      if (error) incoming.socket.resetAndDestroy()
      resolve()
    })
  })
  // workerd does not read the body of a request that it has refused.
  asked.on('error', (error) => isAnswered || reject(error))
  // A request that is refused by its head alone need not send a body.
  const headAlone = setTimeout(() => asked.flushHeaders(), 20)
  // workerd sees the end of the body too, and decides whether it was needed.
  const endBody = () => {
    if (!incoming.complete) asked.socket?.end()
  }
  over.addEventListener('abort', endBody)
  // Each part of the way to the client listens to its end: the adapter, the shell, the pipeline.
  outgoing.setMaxListeners(20).on('close', () => {
    clearTimeout(headAlone)
    // The signal is that of the connection, which can carry many more requests.
    over.removeEventListener('abort', endBody)
    if (!outgoing.writableFinished) asked.destroy()
  })
  incoming.pipe(asked)
  return promise
}
