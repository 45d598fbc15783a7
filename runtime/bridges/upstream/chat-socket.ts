/**
 * The one socket to the game's `/ws`, whatever number of clients: authenticates, pings, comes back after
 * a loss with jittered back-off. A line is sent at most once and never kept for later.
 * The game acknowledges no line, but it works through a socket in order and answers each ping: the pong of
 * a ping behind a line says that the game has dealt with the line.
 */
import * as v from 'valibot'
import { WebSocket } from 'ws'
import type { ChatLine } from '../../../handlers/game-bridge.ts'
import { GameError } from '../../../handlers/game-error.ts'
import type { Log } from '../../log.ts'
import { milliseconds } from './answers.ts'
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'

interface HeardLine {
  readonly playerName: string
  readonly message: string
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string
}

export interface ChatSocket {
  /**
   * Waits for a socket that is just opening.
   * @throws {GameError} unavailable while it is down; timeout when it is not known whether the line arrived
   */
  send(line: ChatLine): Promise<void>
  /** Cuts the wait for the next attempt short: the game is known to be back. */
  tryNow(): void
  close(): void
}

interface ChatSocketOptions {
  /** The game's HTTP address. */
  readonly url: URL
  readonly key: string
  readonly clock: Clock
  /** 0 to 1. */
  random(): number
  readonly log: Log
  readonly limits: Limits
  onLine(line: HeardLine): void
}

const message = v.variant('type', [
  v.looseObject({ type: v.literal('auth_success') }),
  v.looseObject({ type: v.literal('auth_failed') }),
  v.looseObject({ type: v.literal('pong') }),
  v.object({
    type: v.literal('chat'),
    payload: v.object({ playerName: v.string(), message: v.string(), timestamp: v.optional(v.string(), '') }),
  }),
])

const mostBytes = 256 * 1024

export function chatSocket(options: ChatSocketOptions): ChatSocket {
  const { url, key, clock, random, log, limits, onLine } = options
  const address = new URL(`${url.pathname.replace(/\/+$/, '')}/ws`, url)
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'

  let socket: WebSocket | undefined
  /** Let in: what is sent now is delivered. */
  let isOpen = false
  let attempts = 0
  let isToldDown = false
  let isKeyRejected = false
  let isClosed = false
  /** Who waits for which pong, oldest first. */
  let pings: (() => void)[] = []
  let stopWaiting: (() => void) | undefined
  let stopPinging: (() => void) | undefined
  /** Lines that were sent, and of which the game has not told yet. */
  const inDoubt = new Set<() => void>()
  /** Settled when the socket that is being opened lets us in or is lost. */
  let opening = Promise.withResolvers<void>()

  function connect() {
    stopWaiting = undefined
    attempts += 1
    const opened = new WebSocket(address, {
      perMessageDeflate: false,
      maxPayload: mostBytes,
      handshakeTimeout: limits.chatOpensWithin,
    })
    socket = opened
    let deadline = clock.after(limits.chatOpensWithin, () => opened.terminate())
    stopPinging = () => deadline()
    // The ping behind the key is the proof: a game without a key answers no `auth_success`, but it
    // answers pings, and one with a key answers them only after it took the key.
    opened.on('open', () => {
      if (key !== '') opened.send(JSON.stringify({ type: 'auth', payload: { token: key } }))
      ping(opened, letIn)
    })
    const answered = () => {
      deadline()
      deadline = clock.after(limits.pingEvery, () => {
        ping(opened, () => {})
        deadline = clock.after(limits.pongWithin, () => opened.terminate())
      })
    }
    opened.on('message', (bytes, isBinary) => {
      if (!isBinary) receive(bytes.toString(), answered)
    })
    opened.on('error', () => opened.terminate())
    opened.on('close', () => lost())
  }

  function ping(to: WebSocket, onPong: () => void) {
    pings.push(onPong)
    to.send('{"type":"ping"}')
  }

  function letIn() {
    isOpen = true
    opening.resolve()
    attempts = 0
    if (isToldDown) log.info({}, 'chat with the game server is back')
    isToldDown = false
    isKeyRejected = false
  }

  function receive(text: string, answered: () => void) {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      return
    }
    const read = v.safeParse(message, json)
    if (!read.success) return
    const { output } = read
    if (output.type === 'auth_failed') {
      if (!isKeyRejected) log.error({}, 'the game server rejects GAME_API_KEY for chat')
      isKeyRejected = true
    } else if (output.type === 'pong') {
      answered()
      pings.shift()?.()
    } else if (output.type === 'chat') {
      const { playerName, message, timestamp } = output.payload
      onLine({
        playerName,
        message,
        timestamp: milliseconds(timestamp) ?? new Date(clock.now()).toISOString(),
      })
    }
  }

  function lost() {
    stopPinging?.()
    socket = undefined
    isOpen = false
    pings = []
    for (const fail of inDoubt) fail()
    opening.resolve()
    opening = Promise.withResolvers()
    if (isClosed) return
    if (!isToldDown) log.warn({}, 'chat with the game server is down')
    isToldDown = true
    // A key that was refused is not tried again soon: nothing but its owner can mend it.
    const longest = Math.min(limits.backOffTo, limits.backOffFrom * 2 ** Math.min(attempts, 16))
    const wait = isKeyRejected
      ? limits.backOffTo
      : limits.backOffFrom + random() * (longest - limits.backOffFrom)
    stopWaiting = clock.after(wait, connect)
  }

  connect()
  return {
    async send({ author, message }) {
      if (socket !== undefined && !isOpen) await opening.promise
      const open = socket
      if (!isOpen || open?.readyState !== WebSocket.OPEN) throw new GameError({ kind: 'unavailable' })
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const fail = () => reject(new GameError({ kind: 'timeout', write: true }))
      const callOff = clock.after(limits.write, fail)
      inDoubt.add(fail)
      open.send(JSON.stringify({ type: 'chat_send', payload: { author, message } }))
      ping(open, resolve)
      try {
        await promise
      } finally {
        callOff()
        inDoubt.delete(fail)
      }
    },
    tryNow() {
      if (stopWaiting === undefined || isClosed) return
      stopWaiting()
      attempts = 0
      connect()
    },
    close() {
      isClosed = true
      stopWaiting?.()
      stopPinging?.()
      socket?.terminate()
    },
  }
}
