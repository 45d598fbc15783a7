import { type IncomingMessage, request, type ServerResponse } from 'node:http'

/** Sends a request on to a server on loopback, and its answer back. @param path another one than that of the request */
export function passOn(
  incoming: IncomingMessage,
  answer: ServerResponse,
  port: number | string,
  path = incoming.url,
): void {
  const { method, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, method, path, headers }, (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers)
    from.pipe(answer)
  })
  incoming.pipe(onward.on('error', () => answer.destroy()))
}
