/**
 * A panel with one server on one node, made from the client API of Pelican and Pterodactyl and the WebSocket of Wings:
 * states that are cached for 20 s, an origin that must be the panel's, tokens that expire, and no log of a stopped game.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type WebSocket, WebSocketServer } from 'ws'
import { listening } from '../../../listening.ts'

export async function startPanel(folder: string, key: string, id: string) {
  const uuid = randomUUID()
  const game = fileURLToPath(new URL('../game.ts', import.meta.url))
  const tokens = new Set<string>()
  const sockets = new Map<WebSocket, string>()
  const history: string[] = []
  let state = 'offline'
  let child: ChildProcessWithoutNullStreams | undefined
  let cached: { readonly state: string; readonly at: number } | undefined
  let issued = 0

  const send = (socket: WebSocket, event: string, ...args: string[]) =>
    socket.send(JSON.stringify({ event, ...(args.length > 0 && { args }) }))
  /** Without a valid token a client receives only events of its token. */
  const publish = (event: string, ...args: string[]) => {
    for (const [socket, token] of sockets)
      if (tokens.has(token)) send(socket, event, ...args)
      else if (token !== '') send(socket, 'jwt error', 'jwt: exp claim is invalid')
  }
  const change = (next: string) => {
    state = next
    publish('status', next)
  }
  const print = (line: string) => {
    history.push(line)
    publish('console output', line)
  }
  const ofDaemon = (line: string) =>
    publish('console output', `\u001b[33m\u001b[1m[daemon]: ${line}\u001b[0m`)

  function start() {
    if (state !== 'offline') return
    change('starting')
    history.length = 0
    child = spawn(process.execPath, [game, folder])
    for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', print)
    child.once('spawn', () => change('running'))
    child.once('close', (code, signal) => {
      const isAsked = state === 'stopping'
      const exitCode = code ?? (signal === 'SIGKILL' ? 137 : 143)
      change('offline')
      if (isAsked || exitCode === 0) return
      ofDaemon('---------- Detected server process in a crashed state! ----------')
      ofDaemon(`Exit code: ${exitCode}`)
      ofDaemon('Out of memory: false')
    })
  }
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    if (state === 'offline') return
    change('stopping')
    child?.kill(signal)
  }
  const powers: Readonly<Record<string, () => void>> = {
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }

  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const error = (response: ServerResponse, status: number) =>
    json(response, status, { errors: [{ code: 'HttpException', status: String(status), detail: key }] })

  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const body = await text(request)
    if (headers.authorization !== `Bearer ${key}` || headers.accept !== 'application/json')
      return error(response, 401)
    const what = `${method} ${url?.replace(`/api/client/servers/${id}/`, '')}`
    if (what === 'GET resources') {
      if (cached === undefined || Date.now() - cached.at > 20_000) cached = { state, at: Date.now() }
      const attributes = { current_state: cached.state, is_suspended: false, resources: { uptime: 0 } }
      return json(response, 200, { object: 'stats', attributes })
    }
    if (what === 'GET websocket') {
      issued += 1
      const token = randomUUID()
      tokens.add(token)
      return json(response, 200, { data: { token, socket: `ws://127.0.0.1:${port}/api/servers/${uuid}/ws` } })
    }
    if (what === 'POST power') {
      const run = powers[JSON.parse(body).signal]
      if (run === undefined) return error(response, 422)
      run()
      return response.writeHead(204).end()
    }
    if (what === 'POST command') {
      if (state === 'offline') return error(response, 502)
      child?.stdin.write(`${JSON.parse(body).command}\n`)
      return response.writeHead(204).end()
    }
    return error(response, 404)
  })

  const node = new WebSocketServer({
    server,
    verifyClient: ({ origin }: { readonly origin: string }) => origin === `http://127.0.0.1:${port}`,
  })
  node.on('connection', (socket, { url }) => {
    if (url !== `/api/servers/${uuid}/ws`) return socket.terminate()
    sockets.set(socket, '')
    socket.on('close', () => sockets.delete(socket))
    socket.on('message', (bytes) => {
      const { event, args = [] } = JSON.parse(bytes.toString())
      const isNew = sockets.get(socket) === ''
      if (event === 'auth') {
        if (!tokens.has(args.join(''))) return send(socket, 'jwt error', 'jwt: exp claim is invalid')
        sockets.set(socket, args.join(''))
        send(socket, 'auth success')
        if (isNew) send(socket, 'status', state)
      } else if (!tokens.has(sockets.get(socket) ?? '')) send(socket, 'jwt error', 'jwt: no jwt present')
      else if (event === 'send logs' && state !== 'offline')
        for (const line of history.slice(-150)) send(socket, 'console output', line)
    })
  })

  const port = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    kill: () => child?.kill('SIGKILL'),
    /** How many tokens were issued. */
    get issued() {
      return issued
    },
    /** Lets every token end soon, or now. */
    expire(event: 'token expiring' | 'token expired') {
      for (const socket of sockets.keys()) send(socket, event)
      if (event === 'token expired') tokens.clear()
    },
    /** The node sends an event as no node does. */
    say: publish,
    /** The node restarts; the game does not. */
    dropSockets() {
      for (const socket of sockets.keys()) socket.terminate()
    },
    async close() {
      child?.kill('SIGKILL')
      for (const socket of sockets.keys()) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
