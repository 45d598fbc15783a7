/**
 * The game as a server of a Pelican or Pterodactyl panel, through the client API (`GAME_HOST=pelican`). The panel's
 * own report of the state is up to 20 s old, so the state comes from the WebSocket of the server's node, as the log
 * does.
 */

import * as v from 'valibot'
import { WebSocket } from 'ws'
import { FarmError } from '../../handlers/farm-error.ts'
import { type GameHost, type GameProcess, type GameUsage, isGone } from '../../handlers/game-host.ts'
import type { LogLine } from '../../handlers/host-record.ts'
import { sleep } from '../../lib/clock.ts'
import { hostAndPort } from '../../lib/failure-cause.ts'
import { checkForeign, listOf, readForeign } from '../../lib/foreign/read.ts'
import { keptAnswer } from '../../lib/kept-answer.ts'
import { becomesTrue } from './becomes-true.ts'
import { callHost, type HostAnswer, type HostServer } from './host-call.ts'
import { hostUnavailable } from './host-unavailable.ts'
import type { DriverParts, HostVariables } from './host-variables.ts'
import { keepFollowing } from './keep-following.ts'
import { longestLine } from './lines.ts'

/** Milliseconds. */
const limits = {
  call: 3000,
  /** The panel itself waits for the node. */
  power: 30_000,
  /** Until the first state arrives through the WebSocket; then the panel is asked. */
  status: 1500,
  handshake: 10_000,
  ping: 30_000,
  /** Without a further line of the requested log. */
  quiet: 300,
  poll: 250,
  /** For which the panel's own report is used again. */
  fresh: 5000,
}
/** Maximum of remembered lines of the log: a node keeps none of a game that does not run. */
const remembered = 2000
const maxMessage = 1024 * 1024

const states: ReadonlyMap<string, GameProcess['state']> = new Map([
  ['offline', 'stopped'],
  ['starting', 'starting'],
  ['running', 'running'],
  ['stopping', 'stopping'],
])
const counted = v.pipe(v.number(), v.minValue(0))
const used = v.object({
  memory_bytes: counted,
  /** Percent of one processor. */
  cpu_absolute: counted,
})
const resources = v.object({
  attributes: v.object({
    current_state: v.picklist([...states.keys()]),
    // A panel without these numbers still knows the state.
    resources: v.fallback(v.optional(used), undefined),
  }),
})
const pass = v.object({
  data: v.object({ token: v.string(), socket: v.pipe(v.string(), v.url(), v.regex(/^wss?:\/\/[^#]*$/)) }),
})
/** A node sends one argument. */
const message = v.object({ event: v.string(), args: v.nullish(listOf(v.string(), 16), []) })
const messageLimits = { depth: 4, values: 100 }

type Heard = (event: string, argument: string) => void

export function pelicanDriver(
  { PELICAN_URL = '', PELICAN_KEY = '', PELICAN_SERVER = '' }: HostVariables,
  { clock }: DriverParts,
): GameHost {
  const panel = new URL(PELICAN_URL)
  const closing = new AbortController()
  const host: HostServer = {
    name: `The panel at ${hostAndPort(panel)}`,
    base: new URL(
      `${PELICAN_URL.replace(/\/+$/, '')}/api/client/servers/${encodeURIComponent(PELICAN_SERVER)}/`,
    ),
    headers: { authorization: `Bearer ${PELICAN_KEY}`, accept: 'application/json' },
    closed: closing.signal,
  }
  const listeners = new Set<(line: LogLine) => void>()
  const heardLines: string[] = []
  /** As the WebSocket last reported it; undefined while none is open. */
  let process: GameProcess | undefined
  /** Resolved when the attempt to open a WebSocket has brought a state, or has failed. */
  let settled: Promise<void> | undefined

  async function call(method: 'GET' | 'POST', path: string, body?: object, limit = limits.call) {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await callHost(host, { method, path, ...text }, limit)
    if (answer.status < 200 || answer.status > 299) throw hostUnavailable(refusal(answer))
    return answer.body
  }

  /** The panel's own message is omitted, because it may repeat the key. */
  const refusal = ({ status }: HostAnswer) => {
    if (status === 401 || status === 403) return `${host.name} refuses PELICAN_KEY (${status})`
    if (status === 404) return `${host.name} has no server ${PELICAN_SERVER}. Check PELICAN_SERVER.`
    if (status === 409) return `${host.name} has suspended or locked the server (409)`
    return `${host.name} answers ${status}`
  }

  const not = (what: string) => hostUnavailable(`${host.name} ${what}. Check PELICAN_URL.`)

  /** The panel's own report of the server. */
  const report = keptAnswer(
    async () => {
      const read = checkForeign(resources, await call('GET', 'resources'))
      if (!read.success) throw not('does not answer as a panel does')
      return read.output.attributes
    },
    limits.fresh,
    clock.monotonic,
  )

  /**
   * Opens a WebSocket of the node, and renews its token for as long as it is open.
   * @param heard called with each event after the sign-in, which is `auth success`
   * @returns when it has ended
   * @throws {FarmError} host_unavailable when the node does not accept the sign-in
   */
  async function converse(heard: Heard, signal: AbortSignal, send: (socket: WebSocket) => void) {
    const newPass = async () => {
      const read = checkForeign(pass, await call('GET', 'websocket'))
      if (!read.success) throw not('does not answer as a panel does')
      return read.output.data
    }
    const { token, socket: address } = await newPass()
    const node = `The panel's node at ${hostAndPort(new URL(address))}`
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isIn = false
    // A node accepts only its panel as the origin.
    const socket = new WebSocket(address, {
      origin: panel.origin,
      handshakeTimeout: limits.handshake,
      maxPayload: maxMessage,
      perMessageDeflate: false,
    })
    const end = () => socket.terminate()
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const signIn = (with_: string) => socket.send(JSON.stringify({ event: 'auth', args: [with_] }))
    let isRenewing = false
    const renew = async () => {
      if (isRenewing) return
      isRenewing = true
      try {
        signIn((await newPass()).token)
      } catch {
        end()
      }
      isRenewing = false
    }
    let isAlive = true
    let stopPings = () => {}
    const ping = () => {
      if (!isAlive) return end()
      isAlive = false
      socket.ping()
      stopPings = clock.after(limits.ping, ping)
    }
    socket.on('open', () => {
      signIn(token)
      ping()
    })
    socket.on('pong', () => {
      isAlive = true
    })
    socket.on('message', (bytes, isBinary) => {
      const read = isBinary ? undefined : readForeign(message, bytes.toString(), messageLimits)
      if (read === undefined) return
      const { event, args } = read
      if (event === 'token expiring' || event === 'token expired' || event === 'jwt error') void renew()
      if (event === 'auth success') {
        isIn = true
        send(socket)
      }
      heard(event, args[0] ?? '')
    })
    // The calls of the panel report the failure.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      stopPings()
      signal.removeEventListener('abort', end)
      if (isIn) resolve()
      else
        reject(hostUnavailable(`${node} lets no WebSocket in. PELICAN_URL must be the panel's own address.`))
    })
    return promise
  }

  /** A copy: the part of a text would keep the whole text in memory. */
  const line = (text: string) => Buffer.from(text.slice(0, longestLine).replace(/[\r\n]+$/, '')).toString()

  function hear(event: string, argument: string, settle: () => void): void {
    const state = states.get(argument)
    if (event === 'status' && state !== undefined) {
      const isChange = process !== undefined
      if (process?.state !== state) process = { state, ...(isChange && { since: clock.now() }) }
      settle()
    } else if (event === 'console output') {
      // After the end of a process the node itself writes how it ended, unless it ended cleanly.
      const [, exitCode] = /Exit code: (\d{1,3})\b/.exec(argument) ?? []
      if (process?.state === 'stopped' && exitCode !== undefined)
        process = { ...process, state: 'crashed', exitCode: Number(exitCode) }
      const text = line(argument)
      heardLines.push(text)
      if (heardLines.length > remembered) heardLines.splice(0, heardLines.length - remembered)
      for (const listener of listeners) listener({ text })
    }
  }

  /** Opens the WebSocket at the first call of the driver, and keeps it open. */
  function watch(): void {
    if (settled !== undefined) return
    const attempt = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      settled = promise
      try {
        await converse(
          (event, argument) => hear(event, argument, resolve),
          closing.signal,
          () => undefined,
        )
      } finally {
        process = undefined
        resolve()
      }
    }
    keepFollowing(clock, closing.signal, attempt)
  }

  async function inspect(): Promise<GameProcess> {
    watch()
    if (process === undefined) await Promise.race([settled, sleep(clock, limits.status)])
    if (process !== undefined) return process
    return { state: states.get((await report.get()).current_state) ?? 'stopped' }
  }

  async function usage(): Promise<GameUsage | undefined> {
    const { current_state: state, resources: now } = await report.get()
    if (state === 'offline' || now === undefined) return undefined
    return { coresNow: now.cpu_absolute / 100, memory: { used: now.memory_bytes } }
  }

  const isOver = async () => isGone((await inspect()).state)
  const endsWithin = (milliseconds: number) =>
    becomesTrue(clock, isOver, milliseconds, limits.poll, closing.signal)

  const power = (signal: 'start' | 'stop' | 'kill') => call('POST', 'power', { signal }, limits.power)

  /** @returns the node's lines of the running process, at most 150 unless it is configured otherwise */
  async function lastLines(): Promise<readonly string[]> {
    const lines: string[] = []
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, closing.signal])
    let cancel = () => {}
    const hold = () => {
      cancel()
      cancel = clock.after(limits.quiet, () => over.abort())
    }
    const ended = clock.after(limits.call, () => over.abort())
    await converse(
      (event, argument) => {
        if (event !== 'console output') return
        lines.push(line(argument))
        if (lines.length > remembered) lines.shift()
        hold()
      },
      signal,
      (socket) => {
        socket.send('{"event":"send logs","args":[]}')
        hold()
      },
    )
    cancel()
    ended()
    return lines
  }

  return {
    driver: 'pelican',
    can: { console: true, log: true },
    inspect,
    usage,
    async start() {
      await power('start')
    },
    async stop(graceSeconds) {
      if (await isOver()) return
      await power('stop')
      if (await endsWithin(graceSeconds * 1000)) return
      await power('kill')
      if (!(await endsWithin(limits.power))) throw hostUnavailable(`${host.name} did not end the game`)
    },
    async log(lines) {
      watch()
      const ofNode = await lastLines()
      const longer = ofNode.length > heardLines.length ? ofNode : heardLines
      return longer.slice(-lines).map((text) => ({ text }))
    },
    follow(heard) {
      watch()
      const listener = (one: LogLine) => heard(one)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async type(text) {
      if (await isOver()) throw new FarmError({ kind: 'not_running' })
      await call('POST', 'command', { command: text })
    },
    close: () => closing.abort(),
  }
}
