/**
 * The farm's end of the link (docs/link.md): connects to the edge, so that the farm's machine needs no open port,
 * answers the edge's calls to the game, and connects again whenever the link is lost.
 */
import { WebSocket } from 'ws'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type BackOff, backOff } from '../../process/back-off.ts'
import { causeOfError, type FailureCause, hostAndPort, silentFor } from '../failure-cause.ts'
import type { Log } from '../log.ts'
import { outageNotices } from '../outage-notices.ts'
import { ChatOutbox } from './chat-outbox.ts'
import { type FarmConnection, farmConnection } from './farm-connection.ts'
import { heartbeat, heartbeatEvery, linkCloseCodes, maxFrame } from './protocol.ts'

export interface FarmLinkOptions {
  /** The edge's base address, farm path included. */
  readonly url: string
  readonly key: string
  readonly game: GameBridge
  readonly log: Log
  /** The name of this process; a new one with every start. Chat lines are numbered within it. */
  readonly run: string
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
  /** 0 to 1. */
  readonly random: () => number
  /** Milliseconds before the second attempt, and the maximum between two attempts. */
  readonly backOff?: BackOff
}

export interface FarmLink {
  readonly isOpen: boolean
  close(): Promise<void>
}

const usualBackOff = { first: 500, max: 30_000 } as const
/** Milliseconds in which the edge has to accept the connection, to answer a hello, and to answer a heartbeat. */
const answerTimeout = 10_000

const keyRefused: FailureCause = { code: 'key_refused', words: 'the edge refuses the link key' }
const replaced: FailureCause = {
  code: 'replaced',
  words: 'another process took it with the same link key, and only one of the two serves the farm',
}

/** The cause that a close code stands for, where no error was seen before the close. */
const closedWith = (code: number): FailureCause =>
  code === linkCloseCodes.replaced ? replaced : { code: 'closed', words: `the edge closed it (${code})` }

const tooManyRequests: FailureCause = {
  code: 'rate_limited',
  words: 'the edge takes no more requests from this address for a minute (429)',
}

/** The cause of an HTTP answer to the handshake. @param before why the attempt before this one failed */
function refusedWith(status: number, before: FailureCause | undefined): FailureCause {
  if (status === 401) return keyRefused
  // After several wrong keys the edge answers 429. The cause is still the wrong key.
  if (status === 429) return before === keyRefused ? keyRefused : tooManyRequests
  return status >= 500
    ? { code: 'starting', words: `the edge cannot take the link now (status ${status})` }
    : { code: 'not_its_api', words: `what answers there is no edge with this farm (status ${status})` }
}

/** Connects at once, and connects again after each loss until `close` is called. */
export function openLink(options: FarmLinkOptions): FarmLink {
  const { game, log, monotonic, random } = options
  const wait = options.backOff ?? usualBackOff
  const target = new URL(`${options.url.replace(/^http/, 'ws')}/link`)
  const address = hostAndPort(target)
  const outbox = new ChatOutbox()
  let isClosing = false
  let failures = 0
  let lastCause: FailureCause | undefined
  let socket: WebSocket | undefined
  let connection: FarmConnection | undefined
  let isOpen = false
  let redial: NodeJS.Timeout | undefined

  // One line in the log for each state, not for each attempt.
  const notices = outageNotices({
    elapsed: monotonic,
    onAway: ({ code, words }) =>
      code === 'key_refused'
        ? log.error({ address, cause: code }, 'the edge refuses the link key: check EDGE_LINK_KEY')
        : log.warn({ address, cause: code }, `no link to the edge: ${words}`),
    onBack: (awaySeconds) =>
      log.info({ address, ...(awaySeconds !== undefined && { awaySeconds }) }, 'linked to the edge'),
  })

  const unsubscribe = game.subscribe((event) => {
    if (event.type === 'chat' && !outbox.add(event))
      log.warn({}, 'the edge is away for long: its oldest unheard chat line is dropped')
    connection?.event(event)
  })
  const everySecond = setInterval(() => connection?.check(), 1000)
  everySecond.unref()

  const dialLater = (cause: FailureCause) => {
    // A refused key stays refused until the operator changes it, so the longest wait is used at once. A link that was
    // replaced may have been replaced by a second machine with the same key: if both connected again at once, they
    // would replace each other without end.
    if (cause.code === 'key_refused') failures = Number.POSITIVE_INFINITY
    else if (cause.code === 'replaced') failures = Math.max(failures, 4)
    failures += 1
    redial = setTimeout(dial, backOff(wait, failures, random()))
  }

  function dial(): void {
    const ws = new WebSocket(target, {
      headers: { Authorization: `Bearer ${options.key}` },
      maxPayload: maxFrame,
      perMessageDeflate: false,
      followRedirects: false,
    })
    socket = ws
    let cause: FailureCause | undefined
    const giveUp = (because: FailureCause) => {
      cause ??= because
      ws.terminate()
    }
    const answers = expectAnswers(() => giveUp(silentFor(answerTimeout)))
    answers.expect()
    ws.on('open', async () => {
      answers.received()
      const status = await game.status()
      if (ws.readyState !== ws.OPEN) return
      answers.expect()
      answers.startHeartbeats(() => ws.send(heartbeat.ping))
      connection = farmConnection(
        {
          send: (text) => ws.send(text),
          close: (code, reason) => ws.close(code, reason),
          get buffered() {
            return ws.bufferedAmount
          },
        },
        {
          game,
          outbox,
          run: options.run,
          status,
          log,
          monotonic,
          onWelcome: () => {
            isOpen = true
            failures = 0
            notices.back()
          },
        },
      )
    })
    ws.on('message', (data, isBinary) => {
      answers.received()
      if (!isBinary) connection?.receive(String(data))
    })
    ws.on('unexpected-response', (_request, response) => {
      response.resume()
      giveUp(refusedWith(response.statusCode ?? 0, lastCause))
    })
    ws.on('error', (error) => giveUp(causeOfError(error)))
    ws.on('close', (code) => {
      answers.stop()
      connection?.closed()
      connection = undefined
      isOpen = false
      if (isClosing) return
      lastCause = cause ?? closedWith(code)
      notices.away(lastCause)
      dialLater(lastCause)
    })
  }

  dial()
  return {
    get isOpen() {
      return isOpen
    },
    async close() {
      isClosing = true
      unsubscribe()
      clearInterval(everySecond)
      clearTimeout(redial)
      const ws = socket
      if (ws === undefined || ws.readyState === ws.CLOSED) return
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => ws.terminate(), 1000)
        ws.once('close', () => {
          clearTimeout(force)
          resolve()
        })
        if (ws.readyState === ws.CONNECTING) ws.terminate()
        else ws.close(1001, 'Farm is stopping')
      })
    },
  }
}

/** Calls `onSilent` when an expected answer does not come within `answerTimeout`; sends heartbeats, each of which expects one. */
function expectAnswers(onSilent: () => void) {
  let every: NodeJS.Timeout | undefined
  let limit: NodeJS.Timeout | undefined
  const expect = () => {
    limit ??= setTimeout(onSilent, answerTimeout)
  }
  return {
    expect,
    /** To be called for everything that the edge sends: any frame counts as the answer. */
    received() {
      clearTimeout(limit)
      limit = undefined
    },
    /** Sends a heartbeat every `heartbeatEvery` milliseconds from now on. */
    startHeartbeats(send: () => void) {
      every = setInterval(() => {
        send()
        expect()
      }, heartbeatEvery)
    },
    stop() {
      clearInterval(every)
      clearTimeout(limit)
    },
  }
}
