/**
 * The one socket to the game's `/ws`, whatever number of clients: authenticates, pings, comes back after
 * a loss with jittered back-off. A line is sent at most once and never kept for later.
 * The game acknowledges no line, but it works through a socket in order and answers each ping: the pong of
 * a ping behind a line says that the game has dealt with the line.
 */

import { WebSocket } from 'ws'
import type { ChatLine } from '../../../handlers/game-bridge.ts'
import { GameError, type GameFailure, lostAnswer } from '../../../handlers/game-error.ts'
import { backOff } from '../../../process/back-off.ts'
import { absence } from '../../absence.ts'
import {
  causeOfError,
  connectionLost,
  type FailureCause,
  hostAndPort,
  notItsApi,
  silentFor,
} from '../../failure-cause.ts'
import type { Log } from '../../log.ts'
import { milliseconds } from './answers.ts'
import { readChatMessage } from './chat-message.ts'
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'
import { keyRefused, refusesKey } from './refusal.ts'
import { retryAfterOf } from './retry-after.ts'

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
  /** The chat refuses the key: asks whether the whole API does, which is then told there. */
  isKeyRefused(): Promise<boolean>
}

const mostBytes = 256 * 1024
const refusedKey: FailureCause = { code: 'key_refused', words: 'it refuses GAME_API_KEY' }

const closedWith = (code: number): FailureCause => ({
  code: 'closed',
  words: `it closed the socket (${code})`,
})

export function chatSocket(options: ChatSocketOptions): ChatSocket {
  const { url, key, clock, random, log, limits, onLine } = options
  const address = new URL(`${url.pathname.replace(/\/+$/, '')}/ws`, url)
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'

  let socket: WebSocket | undefined
  /** Let in: what is sent now is delivered. */
  let isOpen = false
  let attempts = 0
  /** Why the socket that is open or opening is lost, or will be. */
  let cause: FailureCause | undefined
  /** What a line is told that cannot be sent now. */
  let failure: GameFailure = { kind: 'unavailable' }
  /** Milliseconds that the game asks to wait with the next attempt. */
  let askedToWait = 0
  let isClosed = false
  /** Who waits for which pong, oldest first. */
  let pings: (() => void)[] = []
  let stopWaiting: (() => void) | undefined
  let stopPinging: (() => void) | undefined
  /** Lines that were sent, and of which the game has not told yet. */
  const inDoubt = new Set<() => void>()
  /** Settled when the socket that is being opened lets us in or is lost. */
  let opening = Promise.withResolvers<void>()
  const told = absence({
    elapsed: clock.elapsed,
    onAway: ({ code, words }) =>
      log.warn({ address: hostAndPort(url), cause: code }, `chat with the game server is down: ${words}`),
    onBack: (awaySeconds) => {
      if (awaySeconds !== undefined)
        log.info({ address: hostAndPort(url), awaySeconds }, 'chat with the game server is back')
    },
  })

  function connect() {
    stopWaiting = undefined
    attempts += 1
    cause = undefined
    askedToWait = 0
    const opened = new WebSocket(address, { perMessageDeflate: false, maxPayload: mostBytes })
    socket = opened
    const giveUp = (because: FailureCause) => {
      cause ??= because
      opened.terminate()
    }
    let deadline = clock.after(limits.chatOpensWithin, () => giveUp(silentFor(limits.chatOpensWithin)))
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
        deadline = clock.after(limits.pongWithin, () => giveUp(silentFor(limits.pongWithin)))
      })
    }
    opened.on('message', (bytes, isBinary) => {
      if (!isBinary) receive(bytes.toString(), answered)
    })
    opened.on('unexpected-response', (_request, { statusCode = 0, headers }) => {
      askedToWait = (retryAfterOf(headers['retry-after']) ?? 0) * 1000
      giveUp(refusesKey(statusCode) ? refusedKey : notItsApi(`status ${statusCode} to a WebSocket`))
    })
    opened.on('error', (error) => giveUp(causeOfError(error)))
    opened.on('close', (code) => {
      // 1006 stands for a connection that ended without a word.
      cause ??= code === 1006 ? connectionLost : closedWith(code)
      lost(cause)
    })
  }

  function ping(to: WebSocket, onPong: () => void) {
    pings.push(onPong)
    to.send('{"type":"ping"}')
  }

  function letIn() {
    isOpen = true
    opening.resolve()
    attempts = 0
    told.back()
  }

  function receive(text: string, answered: () => void) {
    const said = readChatMessage(text)
    if (said?.type === 'auth_failed') {
      cause ??= refusedKey
    } else if (said?.type === 'pong') {
      answered()
      pings.shift()?.()
    } else if (said?.type === 'chat') {
      const { playerName, message, timestamp } = said.payload
      onLine({
        playerName,
        message,
        timestamp: milliseconds(timestamp) ?? new Date(clock.now()).toISOString(),
      })
    }
  }

  function lost(because: FailureCause) {
    stopPinging?.()
    socket = undefined
    isOpen = false
    pings = []
    for (const fail of inDoubt) fail()
    opening.resolve()
    opening = Promise.withResolvers()
    if (isClosed) return
    failure = because === refusedKey ? keyRefused : { kind: 'unavailable' }
    if (because !== refusedKey) told.away(because)
    else void options.isKeyRefused().then((isEverywhere) => isEverywhere || told.away(because))
    // A key that was refused is not tried again soon: nothing but its owner can mend it.
    const wait =
      because === refusedKey
        ? limits.backOffTo
        : backOff({ first: limits.backOffFrom, max: limits.backOffTo }, attempts + 1, random())
    stopWaiting = clock.after(Math.max(wait, askedToWait), connect)
  }

  connect()
  return {
    async send({ author, message }) {
      if (socket !== undefined && !isOpen) await opening.promise
      const open = socket
      if (!isOpen || open?.readyState !== WebSocket.OPEN) throw new GameError(failure)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const fail = () => reject(new GameError(lostAnswer('write')))
      const callOff = clock.after(limits.budgetOf('sendChat'), fail)
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
      if (stopWaiting === undefined || isClosed || askedToWait > 0) return
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
