/**
 * The stand-in game server: a real HTTP and WebSocket server on loopback with the behaviour of JunimoServer, its bugs
 * included, and with faults that tests can switch on.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pause } from '../wait.ts'
import { startChatSide } from './chat-side.ts'
import { dotnetJson } from './dotnet-json.ts'
import { answerInstead, answerMangled, Faults } from './faults.ts'
import { isPublic, reads } from './reads.ts'
import { type Generation, type Snapshot, World } from './world.ts'
import { writes } from './writes.ts'

const maxTimeout = 10_000

const boolean = (text: string | null) =>
  text === null ? undefined : { true: true, false: false }[text.toLowerCase()]
const whole = (text: string | null) => (text !== null && /^-?\d+$/.test(text) ? Number(text) : undefined)

const is = <T>(wanted: T | undefined, actual: T) => wanted === undefined || wanted === actual

function statusMatches({ status }: Snapshot, query: URLSearchParams): boolean {
  return (
    is(boolean(query.get('isReady')), status.isReady) &&
    is(boolean(query.get('dayTransitionComplete')), status.dayTransitionComplete) &&
    is(boolean(query.get('isPaused')), status.isPaused) &&
    is(whole(query.get('day')), status.day) &&
    is(whole(query.get('playerCount')), status.playerCount)
  )
}

function playersMatch({ players }: Snapshot, query: URLSearchParams): boolean {
  const id = query.get('playerId')
  return id === null || players.players.some((player) => `${player.id}` === id)
}

function farmhandsMatch({ farmhands: { farmhands } }: Snapshot, query: URLSearchParams): boolean {
  const name = query.get('hasFarmhand')?.toLowerCase()
  const customized = boolean(query.get('requireCustomized')) ?? false
  return (
    is(whole(query.get('farmhandCount')), farmhands.length) &&
    (name === undefined ||
      farmhands.some((one) => one.name.toLowerCase() === name && (!customized || one.isCustomized)))
  )
}

const filters = {
  '/wait/status': [statusMatches, '/status'],
  '/wait/players': [playersMatch, '/players'],
  '/wait/farmhands': [farmhandsMatch, '/farmhands'],
} as const

/** The body once the snapshot matches, undefined after the time limit; undefined at once for other paths. */
function waitFor(path: string, world: World, query: URLSearchParams): Promise<unknown> | undefined {
  const filter = filters[path as keyof typeof filters]
  if (filter === undefined) return undefined
  const [matches, plain] = filter
  const asked = whole(query.get('timeout')) ?? maxTimeout
  const until = Date.now() + (asked > 0 ? Math.min(asked, maxTimeout) : maxTimeout)
  const since = whole(query.get('since')) ?? 0
  const look = async () => {
    for (;;) {
      const { snapshot } = world
      if (snapshot.status.version > since && matches(snapshot, query)) return reads[plain]?.(world, query)
      if (Date.now() >= until) return undefined
      await pause(10)
    }
  }
  return look()
}

/** Whether the query has more than the cursor and the time: then the game answers when the value last changed. */
const hasFilter = (query: URLSearchParams): boolean =>
  [...query.keys()].some((name) => name !== 'since' && name !== 'timeout')
export interface GameServerOptions {
  readonly key?: string
  readonly generation?: Generation
  /** Milliseconds between snapshots; the real one takes one a second. */
  readonly snapshotEvery?: number
  /** Milliseconds that work waits for the game thread; 5000 at the real one. */
  readonly gameThreadBudget?: number
  readonly authWithin?: number
  readonly port?: number
}

interface Received {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly authorization: string | undefined
  readonly body: string
}

/** As .NET reads a query: names in any case, repeated ones joined with commas. */
class DotnetQuery extends URLSearchParams {
  override get(name: string): string | null {
    const values = [...this].flatMap(([key, value]) =>
      key.toLowerCase() === name.toLowerCase() ? [value] : [],
    )
    return values.length === 0 ? null : values.join(',')
  }
}
const queryOf = (search: string) => new DotnetQuery(search)

export type GameServer = Awaited<ReturnType<typeof startGameServer>>

export async function startGameServer(options: GameServerOptions = {}) {
  const { snapshotEvery = 1000, gameThreadBudget = 5000, authWithin = 10_000 } = options
  const world = new World(options.generation)
  const faults = new Faults()
  const counts = new Map<string, number>()
  const writesReceived: Received[] = []
  const unanswered = new Map<ServerResponse, string>()
  const state = {
    key: options.key ?? '',
    /** The key that the chat accepts instead. */
    chatKey: undefined as string | undefined,
    /** The answer to the opening of a chat socket, as in the start of a game. */
    chatRefusal: undefined as string | undefined,
    chatsRefused: 0,
    /** The responder that owns the port before the mod does (since September 2026). */
    phase: undefined as 'downloading' | 'starting' | undefined,
    /** A POST without length is answered 411 and done nevertheless. */
    doesUnsized: true,
    readHeaders: undefined as IncomingMessage['headers'] | undefined,
  }
  const chat = startChatSide({ world, key: () => state.chatKey ?? state.key, authWithin, gameThreadBudget })
  const snapshots = setInterval(() => world.publish(), snapshotEvery)

  function send(response: ServerResponse, status: number, body: string, type = 'application/json') {
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...(type === 'application/json' && { 'access-control-allow-origin': '*' }),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    })
    response.end(body)
  }

  /** Work for the game thread: waits while a day turns, and is dropped after its budget. */
  async function onGameThread(response: ServerResponse, work: () => void) {
    const until = Date.now() + gameThreadBudget
    const isBusy = () => world.isTurning || world.isFrozen
    world.pendingActions += 1
    while (isBusy() && Date.now() < until) await pause(10)
    world.pendingActions -= 1
    if (!isBusy()) return work()
    send(response, 503, '{"error":"Game thread is blocked, try again in a few seconds","retry":true}')
  }

  async function answer(request: IncomingMessage, response: ServerResponse, body: string) {
    const { method = 'GET' } = request
    const { pathname, search } = new URL(request.url ?? '/', 'http://game')
    const searchParams = queryOf(search)
    const resource = `${method} ${pathname}`
    unanswered.set(response, resource)
    response.on('close', () => unanswered.delete(response))
    counts.set(resource, (counts.get(resource) ?? 0) + 1)
    const { authorization } = request.headers
    if (method !== 'GET')
      writesReceived.push({ method, path: pathname, query: search.slice(1), authorization, body })
    else state.readHeaders = request.headers
    response.setHeader('X-Snapshot-Age-Ms', Math.trunc(world.snapshotAge))
    const id = request.headers['x-request-id']
    if (id !== undefined) response.setHeader('X-Request-Id', id)

    if (state.phase !== undefined)
      return pathname === '/status'
        ? send(response, 200, dotnetJson({ isOnline: false, phase: state.phase }))
        : send(response, 503, '{"error":"Server is starting"}')
    const fault = faults.of(method, pathname)
    if (fault !== undefined && answerInstead(fault, response)) return
    const [, token] = /^bearer (.*)$/i.exec(authorization ?? '') ?? []
    if (state.key !== '' && !isPublic(world, pathname) && token?.trim() !== state.key)
      return send(
        response,
        401,
        '{"error":"Unauthorized. Provide a valid Authorization header: Bearer <api-key>"}',
      )
    if (!['GET', 'POST', 'DELETE'].includes(method)) return methodNotAllowed(method, response)
    const write = writes[resource]
    const read = method === 'GET' ? reads[pathname] : undefined
    const waited = method === 'GET' ? waitFor(pathname, world, searchParams) : undefined
    if (waited !== undefined) {
      const found = await waited
      if (found === undefined) return void response.writeHead(408, { connection: 'close' }).end()
      if (hasFilter(searchParams)) response.setHeader('X-Predicate-Changed-At-Ms-Ago', 0)
      return send(response, 200, dotnetJson(found))
    }
    if (write !== undefined)
      return onGameThread(response, () => {
        const written = write(world, searchParams, body)
        world.publish()
        const text = dotnetJson(written.body)
        if (fault === undefined || written.status !== 200) send(response, written.status, text)
        else answerMangled(fault, response, text)
      })
    if (read === undefined) return send(response, 404, dotnetJson({ error: 'Not found', path: pathname }))
    const text = dotnetJson(read(world, searchParams))
    if (fault === undefined) send(response, 200, text)
    else answerMangled(fault, response, text)
  }

  function methodNotAllowed(method: string, response: ServerResponse) {
    const body = '{"error":"Method not allowed"}'
    if (method !== 'HEAD') return send(response, 405, body)
    // Not special-cased at the real one: HEAD is answered with the body too.
    response.socket?.end(
      `HTTP/1.1 405 Method Not Allowed\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  }

  function receive(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    request.on('error', () => response.destroy())
    response.on('error', () => response.destroy())
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { headers, method } = request
      const isUnsized = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
      if (method === 'POST' && isUnsized) {
        send(response, 411, '<h1>Length Required</h1>', 'text/html')
        const { pathname, search } = new URL(request.url ?? '/', 'http://game')
        if (state.doesUnsized) writes[`POST ${pathname}`]?.(world, queryOf(search), '')
        return
      }
      void answer(request, response, Buffer.concat(chunks).toString())
    })
  }

  let server: Server | undefined
  async function listen(port: number): Promise<number> {
    const started = createServer({ keepAliveTimeout: 15_000 }, receive)
    started.on('upgrade', (request, stream, head) => {
      stream.on('error', () => stream.destroy())
      if (state.phase !== undefined || request.url !== '/ws') return void stream.destroy()
      if (state.chatRefusal !== undefined) {
        state.chatsRefused += 1
        return void stream.end(state.chatRefusal)
      }
      chat.upgrade(request, stream, head)
    })
    started.on('clientError', (_error, stream) => stream.destroy())
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject)
      started.listen(port, '127.0.0.1', resolve)
    })
    server = started
    return (started.address() as AddressInfo).port
  }

  async function down() {
    const stopped = server
    server = undefined
    chat.drop()
    stopped?.closeAllConnections()
    await new Promise<void>((resolve) => (stopped === undefined ? resolve() : stopped.close(() => resolve())))
  }

  const port = await listen(options.port ?? 0)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    world,
    faults,
    state,
    chat,
    /** The number of requests for a resource, for example `GET /players`. */
    count: (resource: string) => counts.get(resource) ?? 0,
    counts,
    /** The unanswered requests, for example `GET /players`. */
    unanswered: () => [...unanswered.values()],
    /** Every received write, in order. */
    writesReceived,
    /** Stops listening and drops every connection. */
    down,
    /** Listens again on the same port. */
    up: async () => void (await listen(port)),
    async stop() {
      clearInterval(snapshots)
      await down()
      chat.stop()
    },
  }
}
