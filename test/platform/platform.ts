import { randomBytes } from 'node:crypto'
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { listening } from '../listening.ts'
import { pause } from '../wait.ts'
import type { Account } from './accounts.ts'
import { makeCertificate } from './certificate.ts'
import { type Connection, logOff } from './connection.ts'
import { addContent, type Content } from './content.ts'
import { type Frame, readFrame, writeFrame, writeMulti } from './frame.ts'
import { addLobbies, type Lobby } from './lobbies.ts'
import { addLogon } from './logon.ts'
import { decode, EMsg, encode } from './protobufs.ts'
import { addSignIn, type Phone } from './sign-in.ts'
import { type DispatchingWorld, makeWorld, message, result, type World } from './world.ts'

/** Listed connection managers; all are this stand-in. There are several, because a client avoids one that failed. */
const MANAGERS = ['cm1.steamserver.net:443', 'cm2.steamserver.net:443', 'cm3.steamserver.net:443']

/** The web API of the platform: the list of connection managers, and the answers that were added with `onPath`. */
function serverDirectory(world: World) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url?.split('?')[0] ?? ''
    if (world.knobs.hangs === 'directory') return
    if (world.knobs.directoryDown) {
      response.writeHead(503).end()
    } else if (path.startsWith('/ISteamDirectory/GetCMListForConnect/')) {
      // The client reads the body only when the type is text.
      response.writeHead(200, { 'content-type': 'text/vdf; charset=UTF-8' }).end(managerList())
    } else {
      const answer = world.webAnswer(path)
      if (answer === undefined) response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': 'text/vdf; charset=UTF-8' }).end(answer)
    }
  }
}

function managerList(): string {
  const entries = MANAGERS.map(
    (endpoint, index) => `"${index}"
{ "endpoint" "${endpoint}" "legacy_endpoint" "${endpoint}" "type" "websockets" "dc" "test" "realm" "steamglobal" "load" "10" "wtd_load" "10" }`,
  )
  return `"response"\n{\n"serverlist"\n{\n${entries.join('\n')}\n}\n"success" "1"\n"message" ""\n}\n`
}

/** All issued tickets: the bytes of the EncryptedAppTicket messages, oldest first. */
type TicketLog = readonly Buffer[]

/** Adds the responder for app tickets. @returns the issued tickets */
function addTickets(world: World): TicketLog {
  const made: Buffer[] = []
  world.onMessage('ClientRequestEncryptedAppTicket', async ({ frame, connection }) => {
    const { app_id } = decode('CMsgClientRequestEncryptedAppTicket', frame.body)
    const outcome = connection.account ? world.knobs.ticketResult : 'AccessDenied'
    await pause(world.knobs.ticketDelay)
    const reply = { app_id, eresult: result(outcome) }
    if (outcome !== 'OK') return answer(reply)
    const ticket = {
      ticket_version_no: 1,
      crc_encryptedticket: randomBytes(4).readUInt32LE(),
      // A zero that is encoded explicitly. A client that decodes and encodes the ticket again would drop it.
      cb_encrypteduserdata: 0,
      cb_encrypted_appownershipticket: 178,
      encrypted_ticket: randomBytes(248),
    }
    made.push(encode('EncryptedAppTicket', ticket))
    return answer({ ...reply, encrypted_app_ticket: ticket })
  })
  return made
}

function answer(body: object) {
  return {
    message: message('ClientRequestEncryptedAppTicketResponse'),
    body: encode('CMsgClientRequestEncryptedAppTicketResponse', body),
  }
}

/** The WebSocket connection manager: reads frames, gets a reply from the responders of the world and sends it. */
function connectionManager(world: DispatchingWorld): {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
} {
  const server = new WebSocketServer({ noServer: true })

  function open(socket: WebSocket): void {
    const connection: Connection = { socket, account: null, logonId: 0, sessionId: 0 }
    world.connections.add(connection)
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => void receive(connection, bytesOf(data)))
    socket.on('close', () => {
      world.connections.delete(connection)
      world.closed(connection)
    })
  }

  async function receive(connection: Connection, bytes: Buffer): Promise<void> {
    const frame = readFrame(bytes)
    if (!frame) return
    const name = nameOf(frame)
    const reply = await world.answer(name, { frame, connection })
    if (!reply || connection.socket.readyState !== connection.socket.OPEN) return
    const isMethod = typeof frame.header.target_job_name === 'string'
    const header = {
      jobid_target: frame.header.jobid_source,
      // The client drops the reply to a service method when it lacks the name of the method.
      ...(isMethod ? { target_job_name: frame.header.target_job_name } : {}),
      ...(connection.account
        ? { steamid: connection.account.steamId, client_sessionid: connection.sessionId }
        : {}),
      eresult: reply.result ?? 1,
      ...reply.header,
    }
    const number = reply.message ?? message('ServiceMethodResponse')
    const out = writeFrame(number, header, reply.body)
    connection.socket.send(reply.multi ? writeMulti(out) : out)
  }

  return {
    upgrade(request, socket, head) {
      if (world.knobs.hangs === 'connection manager') return
      if (world.knobs.refuseSockets) {
        socket.destroy()
        return
      }
      server.handleUpgrade(request, socket, head, open)
    },
  }
}

function nameOf(frame: Frame): string {
  const method = frame.header.target_job_name
  return typeof method === 'string' ? method : String(EMsg[frame.message] ?? frame.message)
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}

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
  const platformPort = await listening(platform)

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
  const proxyPort = await listening(proxy)

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
