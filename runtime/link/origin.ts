/**
 * The farm's end of the link (contract section 6): dials the edge, so that the farm's machine needs no open
 * port, lets it use the game, and dials again whenever the link is lost.
 */
import { WebSocket } from 'ws'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Log } from '../log.ts'
import { type Connection, originConnection } from './connection.ts'
import { Outbox } from './outbox.ts'
import { heartbeat, heartbeatEvery, linkCloseCodes, longestFrame } from './protocol.ts'

export interface OriginLinkOptions {
  /** The edge's base address, farm path included. */
  readonly url: string
  readonly key: string
  readonly game: GameBridge
  readonly log: Log
  /** Names this process to the edge; new with every start. */
  readonly run: string
  readonly monotonic: () => number
  /** 0 to 1. */
  readonly random: () => number
  /** Milliseconds between two attempts, at least and at most. */
  readonly wait?: { readonly least: number; readonly most: number }
}

export interface OriginLink {
  readonly isOpen: boolean
  close(): Promise<void>
}

const usualWait = { least: 500, most: 30_000 } as const
const handshakeTimeout = 10_000
/** Milliseconds that the edge has to answer a hello or a heartbeat. */
const patience = 10_000

export function openLink(options: OriginLinkOptions): OriginLink {
  const { game, log, monotonic, random } = options
  const { least, most } = options.wait ?? usualWait
  const address = `${options.url.replace(/^http/, 'ws')}/link`
  const outbox = new Outbox()
  let closing = false
  let failures = 0
  let socket: WebSocket | undefined
  let connection: Connection | undefined
  let isOpen = false
  let redial: NodeJS.Timeout | undefined

  const unsubscribe = game.subscribe((event) => {
    if (event.type === 'chat' && !outbox.add(event))
      log.warn({}, 'the edge is away for long: its oldest unheard chat line is dropped')
    connection?.event(event)
  })
  const everySecond = setInterval(() => connection?.check(), 1000)
  everySecond.unref()

  const dialLater = () => {
    const longest = Math.min(most, least * 2 ** failures)
    redial = setTimeout(dial, least + random() * Math.max(least, longest - least))
    failures += 1
  }

  const dial = () => {
    const ws = new WebSocket(address, {
      headers: { Authorization: `Bearer ${options.key}` },
      maxPayload: longestFrame,
      perMessageDeflate: false,
      followRedirects: false,
      handshakeTimeout,
    })
    socket = ws
    let refused = false
    const hearts = heartbeats(ws, () => log.warn({}, 'the edge is silent: dialling again'))
    ws.on('open', async () => {
      const status = await game.status()
      if (ws.readyState !== ws.OPEN) return
      hearts.start()
      connection = originConnection(
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
          onWelcome: (generation) => {
            isOpen = true
            failures = 0
            log.info({ generation }, 'linked to the edge')
          },
        },
      )
    })
    ws.on('message', (data, isBinary) => {
      hearts.heard()
      if (!isBinary) connection?.receive(String(data))
    })
    ws.on('unexpected-response', (_request, response) => {
      refused = true
      const { statusCode } = response
      if (statusCode === 401) log.error({ status: 401 }, 'the edge refuses the link key: check EDGE_LINK_KEY')
      else log.warn({ status: statusCode }, 'the edge refuses the link')
      response.resume()
      ws.terminate()
    })
    // An error that is no answer is told by the close that follows it.
    ws.on('error', (error) => {
      if (!refused) log.debug({ cause: error.message }, 'link error')
    })
    ws.on('close', (code) => {
      hearts.stop()
      connection?.closed()
      connection = undefined
      const wasOpen = isOpen
      isOpen = false
      if (closing) return
      if (code === linkCloseCodes.replaced) {
        // Whoever took over may be a second machine with this key: two that both hurry would only swap places.
        failures = Math.max(failures, 4)
        log.warn({}, 'another process linked this farm: only one of the two serves it')
      } else if (wasOpen) log.warn({ code }, 'the link to the edge is lost: dialling again')
      else log.info({ code }, 'the edge is not reachable: dialling again')
      dialLater()
    })
  }

  dial()
  return {
    get isOpen() {
      return isOpen
    },
    async close() {
      closing = true
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

/** Sends heartbeats, and ends a socket on which nothing comes back. */
function heartbeats(ws: WebSocket, onSilent: () => void) {
  let every: NodeJS.Timeout | undefined
  let limit: NodeJS.Timeout | undefined
  const expect = () => {
    limit ??= setTimeout(() => {
      onSilent()
      ws.terminate()
    }, patience)
  }
  return {
    start() {
      expect()
      every = setInterval(() => {
        ws.send(heartbeat.ping)
        expect()
      }, heartbeatEvery)
    },
    heard() {
      clearTimeout(limit)
      limit = undefined
    },
    stop() {
      clearInterval(every)
      clearTimeout(limit)
    },
  }
}
