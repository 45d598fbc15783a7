import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Server, type Socket } from 'node:net'
import type { Account } from './accounts.ts'
import { makeCertificate } from './certificate.ts'
import { logOff } from './connection.ts'
import { connectionManager } from './connection-manager.ts'
import { addContent, type Content } from './content.ts'
import { serverDirectory } from './directory.ts'
import { addLobbies, type Lobby } from './lobbies.ts'
import { addLogon } from './logon.ts'
import { addSignIn, type Phone } from './sign-in.ts'
import { addTickets, type TicketLog } from './tickets.ts'
import { makeWorld, result, type World } from './world.ts'

/** The stand-in for the platform: real servers on loopback. The unmodified libraries log on to them. */
export interface Platform extends World {
  /** For `PLATFORM_PROXY`: every connection to the platform goes through it. */
  readonly proxyUrl: string
  /** PEM of the authority to trust, and the same in a file for `NODE_EXTRA_CA_CERTS`. */
  readonly certificate: string
  readonly certificateFile: string
  readonly phone: Phone
  readonly tickets: TicketLog
  readonly lobbies: ReadonlyMap<string, Lobby>
  readonly content: Content
  /** Hosts of the plain HTTP requests through the proxy, oldest first. */
  readonly proxied: string[]
  /** Addresses of the content servers for the proxy, from `host` to `127.0.0.1:port`. */
  readonly hosts: Map<string, string>
  /** Issues a refresh token that expires in `days` (negative: has expired). */
  token(account: Account, days?: number): string
  /** Number of open connections through the proxy. */
  openSockets(): number
  /** Destroys all sockets, as a network failure does. */
  dropSockets(): void
  /** Ends all sessions with a result, for instance `LogonSessionReplaced`. */
  logOffAll(resultName: string): void
  close(): Promise<void>
}

/** Starts the stand-in. It connects only to 127.0.0.1. */
export async function startPlatform(): Promise<Platform> {
  const certificate = await makeCertificate()
  const world = makeWorld()
  addLogon(world)
  const phone = addSignIn(world)
  const tickets = addTickets(world)
  const lobbies = addLobbies(world)
  const content = addContent(world)
  const proxied: string[] = []
  const hosts = new Map<string, string>()

  const manager = connectionManager(world)
  const directory = serverDirectory(world)
  const platform = createTlsServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    const host = request.headers.host ?? ''
    if (!hosts.has(host)) return directory(request, response)
    const address = new URL(`https://${host}${request.url}`)
    forwardTo(address, response, hosts)
  })
  platform.on('upgrade', manager.upgrade)
  const platformPort = await listen(platform)

  const sockets = new Set<Socket>()
  const proxy = createHttpServer((request, response) => forward(request, response, hosts, proxied))
  proxy.on('connect', (_request, client: Socket) => {
    client.on('error', () => client.destroy())
    sockets.add(client)
    client.on('close', () => void sockets.delete(client))
    client.on('end', () => client.destroy())
    if (world.knobs.hangs === 'proxy') {
      client.resume()
      return
    }
    if (world.knobs.unreachable) {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
      return
    }
    const upstream = connect(platformPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    sockets.add(upstream)
    upstream.on('close', () => {
      sockets.delete(upstream)
      client.resume()
    })
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  const proxyPort = await listen(proxy)

  return Object.assign(world, {
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    certificate: certificate.cert,
    certificateFile: certificate.file,
    phone,
    tickets,
    lobbies,
    content,
    proxied,
    hosts,
    token: (account: Account, days = 200) =>
      world.book.issue(account, Math.floor(Date.now() / 1000 + days * 86_400)),
    openSockets: () => sockets.size,
    dropSockets: () => sockets.forEach((socket) => void socket.destroy()),
    logOffAll(name: string) {
      for (const connection of world.connections) if (connection.account) logOff(connection, result(name))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([platform, proxy].map((server) => new Promise((done) => server.close(done))))
      certificate.remove()
    },
  })
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address.port
}

/** Forwards a plain HTTP request. Its request line contains the whole URL (RFC 9112, 3.2.2). */
function forward(
  request: IncomingMessage,
  response: ServerResponse,
  hosts: ReadonlyMap<string, string>,
  proxied: string[],
): void {
  const address = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined
  if (address === undefined) return void response.writeHead(400).end()
  proxied.push(address.host)
  forwardTo(address, response, hosts)
}

/** Forwards a request to the content server that stands for a host. `X-Forwarded-Proto` says whether TLS was used. */
function forwardTo(address: URL, response: ServerResponse, hosts: ReadonlyMap<string, string>): void {
  const [host, port] = (hosts.get(address.host) ?? address.host).split(':')
  const path = address.pathname + address.search
  const headers = { host: address.host, 'x-forwarded-proto': address.protocol.slice(0, -1) }
  const upstream = httpRequest({ host, port, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  upstream.on('error', () => response.destroy())
  response.on('close', () => upstream.destroy())
  upstream.end()
}
