/** `fetch` and `WebSocket` that identify as farmgate's command line, so that the audit of the farm names it. */
import type { SocketClass } from '../../client/socket.ts'
import { commandLineAgent } from '../../lib/command-line-agent.ts'
import manifest from '../../package.json' with { type: 'json' }

const agent = commandLineAgent(manifest.version)

export const fetchAsCommand: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('user-agent', agent)
  return fetch(input, { ...init, headers })
}

/** Node's own `WebSocket` takes headers, which the standard lacks. */
export const socketAsCommand = (): SocketClass =>
  new Proxy(WebSocket, {
    construct: (socket, [url]) => Reflect.construct(socket, [url, { headers: { 'user-agent': agent } }]),
  })
