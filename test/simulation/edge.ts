/** The edge: the real object of a farm, behind an HTTP server that stands for the platform's. */
import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { rawResponse } from '../../lib/raw-response.ts'
import { type ObjectClass, ObjectHost } from './durable-object.ts'
import { apiKey, linkKey } from './farm.ts'
import type { Network } from './network.ts'
import { Program, type VirtualTime } from './virtual-time.ts'

interface EdgeParts {
  readonly time: VirtualTime
  readonly network: Network
  readonly farmObject: ObjectClass
  onError(error: unknown): void
}

export function openEdge({ time, network, farmObject, onError }: EdgeParts) {
  const program = new Program('platform')
  const environment = {
    API_KEY: apiKey,
    LINK_KEY: linkKey,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    RATE_LIMIT_ANONYMOUS: '0',
    RATE_LIMIT_FAILED_KEYS: '0',
    FARM: { idFromName: () => ({ name: 'default' }) },
  }
  return program.run(() => {
    const host = new ObjectHost(farmObject, environment, time, onError)
    const ask = async (incoming: IncomingMessage) => {
      const pieces: Buffer[] = []
      for await (const piece of incoming) pieces.push(piece)
      const body = Buffer.concat(pieces)
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ])
      return host.fetch(
        new Request(`http://edge${incoming.url}`, {
          method: incoming.method ?? 'GET',
          headers: [...headers, ['x-farmgate-address', '192.0.2.2']],
          ...(body.length > 0 && { body }),
        }),
      )
    }
    const server = createServer((incoming, outgoing) => {
      ask(incoming).then(
        async (response) => {
          const bytes = Buffer.from(await response.arrayBuffer())
          outgoing.writeHead(response.status, { Connection: 'close' })
          outgoing.end(bytes)
        },
        () => incoming.socket.destroy(),
      )
    })
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => undefined)
      ask(incoming).then(
        async (response) => {
          if (response.status === 101) host.upgrade(response, incoming, socket, head)
          else socket.end(await rawResponse(response))
        },
        () => socket.destroy(),
      )
    })
    network.serve('edge')(server)
    return host
  })
}
