/**
 * The socket to the game's `/ws`; one for all clients of farmgate. It authenticates, pings, and reconnects with a
 * jittered back-off. A line is sent at most once and is not queued while the socket is down. The game does not
 * acknowledge lines, but it handles messages in order and answers each ping. So every line is followed by a ping, and
 * its pong confirms that the game has handled the line.
 */
import { WebSocket } from 'ws'
import { FarmError, type FarmFailure, lostAnswer } from '../../handlers/farm-error.ts'
import type { ChatLine } from '../../handlers/game-bridge.ts'
import { backOff } from '../../lib/back-off.ts'
import type { Clock } from '../../lib/clock.ts'
import { connectionLost, hostAndPort, isBroken, notItsApi, silentFor } from '../../lib/failure-cause.ts'
import type { Log } from '../../lib/log.ts'
import { outageNotices } from '../../lib/outage-notices.ts'
import { type Attempt, keptSocket } from '../kept-socket.ts'
import { retryAfterOf } from '../retry-after-header.ts'
import { milliseconds } from './answers.ts'
import { causeOfSocketError, closedWith, readsNothing, refusedKey } from './chat-failure.ts'
import { readChatMessage } from './chat-message.ts'
import { keyRefused, refusesKey } from './failures.ts'
import type { Limits } from './limits.ts'
import { withoutKey } from './without-key.ts'

interface HeardLine {
  readonly playerName: string
  readonly message: string
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string
}

interface ChatSocketOptions extends Pick<Clock, 'random'> {
  /** The game's HTTP address. */
  readonly url: URL
  readonly key: string
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
  onLine(line: HeardLine): void
  /** Called when the chat refuses the key: whether the HTTP API refuses it too, which the log then has already. */
  isKeyRefused(): Promise<boolean>
  /** The game answers and has a farm loaded. Then only a `Retry-After` of a rate limit still counts. */
  isGameOnline(): boolean
}

const maxMessageBytes = 256 * 1024
/** Maximum of bytes that wait until the game reads them; each of its pings adds a pong. */
const maxUnreadBytes = 1024 * 1024

export function chatSocket(options: ChatSocketOptions) {
  const { url, key, clock, random, log, limits, onLine } = options
  const address = new URL(`${url.pathname.replace(/\/+$/, '')}/ws`, url)
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'

  const socketOptions = {
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    autoPong: false,
    /** Milliseconds that the game has to end the connection after a close. */
    closeTimeout: limits.pongWithin,
  }
  const blank = withoutKey(key)
  /** Attempts in a row of which none lasted. */
  let attempts = 0
  /** The error of a line that cannot be sent now. */
  let failure: FarmFailure = { kind: 'unavailable' }
  /** What the game's answer to the last attempt asked for: milliseconds to wait, and whether it limits the rate (429). */
  let asked = { wait: 0, isLimit: false }
  let lostAt: number | undefined
  let openSince: number | undefined
  /** The callback of each ping that has no pong yet, oldest first. */
  let pings: (() => void)[] = []
  /** Fails each sent line without a pong yet. */
  const unconfirmed = new Set<() => void>()
  const reachability = outageNotices({
    monotonic: clock.monotonic,
    onUnreachable: ({ code, words }) =>
      log.warn({ address: hostAndPort(url), cause: code }, `chat with the game server is down: ${words}`),
    onBack: (offlineSeconds) => {
      if (offlineSeconds !== undefined)
        log.info({ address: hostAndPort(url), offlineSeconds }, 'chat with the game server is back')
    },
  })

  function ping(to: WebSocket, onPong: () => void) {
    pings.push(onPong)
    to.send('{"type":"ping"}')
  }

  /** Watches whether an accepted connection lasts. @returns called when it has ended */
  function proving(): () => void {
    const openedAt = clock.monotonic()
    let isWell = false
    // Otherwise a game that closes each socket right after it opens would be tried twice a second, and be logged as
    // back and down each time.
    const stop = clock.after(limits.chatWellAfter, () => {
      isWell = true
      attempts = 0
      reachability.back(openedAt)
    })
    return () => {
      stop()
      if (isWell) reachability.back()
    }
  }

  /** Authenticates, pings and receives. */
  function converse({ socket: opened, letIn, blame, giveUp }: Attempt): () => void {
    pings = []
    let endProving = () => {}
    const endAfter = (milliseconds: number) =>
      clock.after(milliseconds, () => {
        // The cause of a close that the game does not finish is its code.
        if (opened.readyState === WebSocket.CLOSING) opened.terminate()
        else giveUp(silentFor(milliseconds))
      })
    let deadline = endAfter(limits.chatOpensWithin)
    const answered = () => {
      deadline()
      deadline = clock.after(limits.pingEvery, () => {
        ping(opened, () => {})
        deadline = endAfter(limits.pongWithin)
      })
    }
    // The pong shows that the key was accepted: a game without a key sends no `auth_success` but answers pings, and a
    // game with a key answers pings only after it has accepted the key.
    opened.on('open', () => {
      if (key !== '') opened.send(JSON.stringify({ type: 'auth', payload: { token: key } }))
      ping(opened, () => {
        lostAt = undefined
        openSince = clock.now()
        letIn()
        endProving = proving()
      })
    })
    opened.on('message', (bytes, isBinary) => {
      const said = isBinary ? undefined : readChatMessage(blank(bytes.toString()))
      if (said?.type === 'auth_failed') blame(refusedKey)
      else if (said?.type === 'pong') {
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
    })
    opened.on('ping', (payload) => {
      if (opened.bufferedAmount > maxUnreadBytes) giveUp(readsNothing)
      else opened.pong(payload)
    })
    return () => {
      deadline()
      endProving()
      openSince = undefined
      for (const fail of unconfirmed) fail()
    }
  }

  const socket = keptSocket({
    after: clock.after,
    open() {
      attempts += 1
      asked = { wait: 0, isLimit: false }
      return new WebSocket(address, socketOptions)
    },
    begin: converse,
    causeOfError: causeOfSocketError,
    // 1006: the connection ended without a close frame (RFC 6455 section 7.1.5).
    causeOfClose: (code) => (code === 1006 ? connectionLost : closedWith(code)),
    causeOfAnswer({ statusCode = 0, headers }) {
      asked = { wait: (retryAfterOf(headers['retry-after']) ?? 0) * 1000, isLimit: statusCode === 429 }
      return refusesKey(statusCode) ? refusedKey : notItsApi(`status ${statusCode} to a WebSocket`)
    },
    lost(cause) {
      // A refused key stays refused, however often an old client connects again.
      if (cause === refusedKey) lostAt = undefined
      else if (isBroken(cause) || cause.code === 'closed') lostAt ??= clock.now()
      failure = cause === refusedKey ? keyRefused : { kind: 'unavailable' }
      if (cause !== refusedKey) reachability.away(cause)
      else void options.isKeyRefused().then((isEverywhere) => isEverywhere || reachability.away(cause))
      // A refused key is not tried again soon: only its owner can fix it.
      const wait =
        cause === refusedKey
          ? limits.backOffTo
          : backOff({ first: limits.backOffFrom, max: limits.backOffTo }, attempts + 1, random())
      return asked.isLimit || !options.isGameOnline() ? Math.max(wait, asked.wait) : wait
    },
  })
  return {
    /**
     * Sends a line; waits first while the socket opens.
     * @throws {FarmError} unavailable while it is down; timeout when it is unknown whether the line arrived
     */
    async send({ author, message }: ChatLine) {
      if (socket.settled !== undefined) await socket.settled
      const { open } = socket
      if (open?.readyState !== WebSocket.OPEN) throw new FarmError(failure)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const fail = () => reject(new FarmError(lostAnswer('write')))
      const callOff = clock.after(limits.budgetOf('sendChat'), fail)
      unconfirmed.add(fail)
      open.send(JSON.stringify({ type: 'chat_send', payload: { author, message } }))
      ping(open, resolve)
      try {
        await promise
      } finally {
        callOff()
        unconfirmed.delete(fail)
      }
    },
    /**
     * Reconnects at once instead of after the back-off, or after the time that the game asked for while it was starting;
     * called when the game is known to be back.
     */
    tryNow() {
      if (socket.state !== 'waiting' || asked.isLimit) return
      attempts = 0
      socket.tryNow()
    },
    /** When the game reset or refused the connection, milliseconds since 1970; undefined once it is open again. */
    get lostAt(): number | undefined {
      return lostAt
    },
    /** Since when the game has accepted the connection, milliseconds since 1970; undefined while there is none. */
    get openSince(): number | undefined {
      return openSince
    },
    close: () => socket.close()?.terminate(),
  }
}
