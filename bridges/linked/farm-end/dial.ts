/**
 * The farm's end of the link (bridges/linked/README.md): connects to the edge, so that the farm's machine needs no open
 * port, answers the edge's calls to the game, and connects again whenever the link is lost.
 */
import { type ClientOptions, WebSocket } from 'ws'
import type { FarmChat } from '../../../handlers/chat/farm-chat.ts'
import type { FarmUpkeep } from '../../../handlers/farm-upkeep.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import type { Host } from '../../../handlers/host.ts'
import { type BackOff, backOff } from '../../../lib/back-off.ts'
import { type After, type Clock, recurring, systemClock } from '../../../lib/clock.ts'
import { type FailureCause, silentFor } from '../../../lib/failure-cause.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import type { Log } from '../../../lib/log.ts'
import { countedNotice } from '../../../lib/once-a-minute.ts'
import { outageNotices } from '../../../lib/outage-notices.ts'
import type { Rates } from '../../../lib/rate-limit.ts'
import { type Attempt, keptSocket } from '../../kept-socket.ts'
import { retryAfterOf } from '../../retry-after-header.ts'
import type { LinkedRecords } from '../calls.ts'
import type { FarmDispatch } from '../forwarded-call.ts'
import { heartbeat, maxEdgeFrame } from '../protocol.ts'
import { addressesInTurn } from './addresses.ts'
import { ChatOutbox } from './chat-outbox.ts'
import { edgeLimits } from './edge-limits.ts'
import { type FarmConnection, farmConnection } from './farm-connection.ts'
import { answerTimeout, heartbeats } from './heartbeats.ts'
import {
  causeOfSocketError,
  closedWith,
  failuresAfter,
  isRefused,
  protocolBroken,
  refusedWith,
} from './link-failure.ts'
import { logOutbox } from './log-outbox.ts'
import { rpcServer } from './rpc-server.ts'

export interface FarmLinkOptions extends Pick<Clock, 'monotonic' | 'random'> {
  /** The edge's base addresses, farm path included: tried in turn, the one that worked first. */
  readonly urls: readonly string[]
  readonly key: string
  readonly game: GameBridge
  /** The events of the game. */
  readonly chat: Omit<FarmChat, 'close'>
  /** As the edge's calls use them. */
  readonly records: LinkedRecords
  readonly dispatch: FarmDispatch
  /** The game's log; left out where it cannot be read. */
  readonly host?: Pick<Host, 'hearLog'> | undefined
  /** The named keys, for the edge. */
  readonly keys: Pick<KeyRing, 'named' | 'onChange'>
  /** What the fleet's operator watches; left out where nothing is known of it. */
  readonly upkeep?: () => FarmUpkeep
  /** Whether chat lines may be stored, here and at the edge. */
  readonly keepsChat: boolean
  readonly log: Log
  /** Of the HTTP API of this process; the edge has ten times as much for all its clients together. */
  readonly rates: Pick<Rates, 'reads' | 'writes'>
  /** The name of this process; a new one with every start. */
  readonly run: string
  /** Milliseconds before the second attempt, and the maximum between two attempts. */
  readonly backOff?: BackOff
  /** The machine's own timers unless given. */
  readonly after?: After
  /** Opens the connection of a socket; over TCP or TLS unless given. */
  readonly connect?: ClientOptions['createConnection']
}

export type FarmLink = ReturnType<typeof openLink>

const usualBackOff = { first: 500, max: 30_000 } as const
/** An edge that restarts, or of which another instance takes the farm over: `max` milliseconds for the first `period`. */
const restart = { max: 5000, period: 60_000 } as const
/** Maximum of seconds that an edge can ask the farm to wait. */
const maxRetryAfter = 60
/** Milliseconds in which the edge must answer a close before the connection is cut. */
const closeTimeout = 1000

/** Connects at once, and connects again after each loss until `close` is called. */
export function openLink(options: FarmLinkOptions) {
  const { game, log, monotonic, random, after = systemClock.after } = options
  const wait = options.backOff ?? usualBackOff
  const places = addressesInTurn(options.urls)
  let failures = 0
  let lastCause: FailureCause | undefined
  /** Milliseconds to wait before the next attempt, by the edge's answer to the last one. */
  let askedToWait = 0
  /** When the link was lost, or the start, by `monotonic`. */
  let lostAt = monotonic()
  let connection: FarmConnection | undefined
  let openings = 0

  // One line in the log for each state, not for each attempt.
  const notices = outageNotices({
    monotonic,
    onUnreachable: ({ code, words }) =>
      code === 'key_refused'
        ? log.error(
            { address: places.shown, cause: code },
            'the edge refuses the link key: check EDGE_LINK_KEY',
          )
        : log.warn({ address: places.shown, cause: code }, `no link to the edge: ${words}`),
    onBack: (offlineSeconds) =>
      log.info(
        { address: places.shown, ...(offlineSeconds !== undefined && { offlineSeconds }) },
        'linked to the edge',
      ),
  })

  const limits = edgeLimits(options.rates, log, monotonic)
  const calls = rpcServer({
    game,
    records: options.records,
    dispatch: options.dispatch,
    limits,
    log,
    monotonic,
  })
  const dropped = countedNotice(monotonic, (lines) =>
    log.warn({ lines }, 'chat lines for the edge were dropped: too many wait for it'),
  )
  const forgetKeys = options.keys.onChange(() => connection?.keysChanged())
  const printed = options.host && logOutbox(options.host, after)
  const outbox = new ChatOutbox(options.chat, dropped.count)
  const unsubscribe = options.chat.hear((event) => connection?.event(event))
  const everySecond = recurring(
    after,
    () => 1000,
    () => {
      connection?.check()
      dropped.report()
      limits.report()
    },
  )
  everySecond.start()

  /** Handles one connection. @returns called when it has ended */
  function converse({ socket: ws, letIn, blame, giveUp }: Attempt): () => void {
    let isLinked = false
    const beats = heartbeats(
      after,
      () => ws.send(heartbeat.ping),
      () => giveUp(silentFor(answerTimeout)),
    )
    beats.expect()
    ws.on('open', async () => {
      beats.received()
      const status = await game.status()
      if (ws.readyState !== ws.OPEN) return
      beats.expect()
      beats.start()
      connection = farmConnection(
        {
          send: (text) => ws.send(text),
          close(code, reason) {
            blame(protocolBroken(code))
            ws.close(code, reason)
            after(closeTimeout, () => ws.terminate())
          },
          get buffered() {
            return ws.bufferedAmount
          },
        },
        {
          game,
          records: options.records,
          calls,
          limits,
          outbox,
          log: printed,
          keys: () => options.keys.named,
          run: options.run,
          status,
          keepsChat: options.keepsChat,
          upkeep: options.upkeep,
          monotonic,
          onWelcome: () => {
            letIn()
            isLinked = true
            openings += 1
            failures = 0
            places.worked()
            notices.back()
          },
        },
      )
    })
    ws.on('message', (data, isBinary) => {
      beats.received()
      connection?.receive(isBinary ? undefined : String(data))
    })
    for (const frame of ['ping', 'pong'] as const) ws.on(frame, () => connection?.pinged())
    return () => {
      beats.stop()
      connection?.closed()
      connection = undefined
      if (!isLinked) return
      lostAt = monotonic()
      // The outage begins now.
      notices.back()
    }
  }

  const socket = keptSocket({
    after,
    open: () =>
      new WebSocket(places.target, {
        headers: { Authorization: `Bearer ${options.key}` },
        maxPayload: maxEdgeFrame,
        perMessageDeflate: false,
        followRedirects: false,
        ...(options.connect !== undefined && { createConnection: options.connect }),
      }),
    begin: converse,
    causeOfError: causeOfSocketError,
    causeOfClose: closedWith,
    causeOfAnswer({ statusCode = 0, headers }) {
      if (statusCode === 429)
        askedToWait = 1000 * Math.min(retryAfterOf(headers['retry-after']) ?? 0, maxRetryAfter)
      return refusedWith(statusCode, lastCause)
    },
    lost(cause) {
      lastCause = cause
      notices.away(cause)
      // Another address of the same edge need not wait, unless the link is refused for what this farm does.
      if (places.next(cause.code === 'starting') && cause.code !== 'replaced') return 0
      failures = failuresAfter(cause, failures)
      const isSoonBack = monotonic() - lostAt < restart.period && !isRefused(cause)
      const max = isSoonBack ? Math.min(wait.max, restart.max) : wait.max
      const asked = askedToWait
      askedToWait = 0
      return Math.max(asked, backOff({ ...wait, max }, failures, random()))
    },
  })
  return {
    get isOpen(): boolean {
      return socket.state === 'open'
    },
    /** How often the link has opened since the start. */
    get openings(): number {
      return openings
    },
    async close() {
      unsubscribe()
      forgetKeys()
      everySecond.stop()
      const ws = socket.close()
      if (ws === undefined || ws.readyState === ws.CLOSED) return
      await new Promise<void>((resolve) => {
        const endWait = after(closeTimeout, () => ws.terminate())
        ws.once('close', () => {
          endWait()
          resolve()
        })
        ws.close(1001, 'Farm is stopping')
      })
    },
  }
}
