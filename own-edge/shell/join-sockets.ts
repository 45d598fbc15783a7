/** Passes the frames of one WebSocket between a client and workerd, within limits. */
import type { Socket } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { usualLimits } from '../../lib/connection-limits.ts'
import { type TokenBucket, tokensAfter } from '../../lib/token-bucket.ts'
import { closeFrame, type FrameLimits, FrameReader } from './frames.ts'

export interface SocketLimits extends Omit<FrameLimits, 'isClient'> {
  /** Bytes that a peer may send, a small frame counting as `leastFrame`: beyond them it is read more slowly. */
  readonly rate: TokenBucket
  /** Maximum of bytes that wait for a peer that does not read; twice as many for one that does. */
  readonly maxWaiting: number
}

export interface JoinedSocket {
  /** Closes it with 1012, as an instance that ends does. */
  restart(): void
  readonly closed: Promise<void>
}

/** Milliseconds in which a peer can read the last frame. */
const linger = 1000
/** Milliseconds that bytes within the limit may wait for a peer that reads none of them. */
const { writeTimeout } = usualLimits
/** Milliseconds in which the client can answer a close frame. */
const closeTimeout = 10_000
/** Milliseconds between two looks at a peer for which bytes wait. */
const lookEvery = 1000
/** What the handling of a frame costs in addition to its bytes, in bytes. */
const leastFrame = 1024
const restarting = [1012, 'The edge is restarting'] as const

/** @param isIn called when workerd has accepted the client's key on this socket */
export function joinSockets(
  client: Socket,
  worker: Socket,
  limits: SocketLimits,
  { monotonic, after }: Pick<Clock, 'monotonic' | 'after'>,
  isIn: () => void,
): JoinedSocket {
  const { rate, maxWaiting } = limits
  const fromClient = new FrameReader({ ...limits, isClient: true })
  const fromWorker = new FrameReader({
    isClient: false,
    maxMessage: Number.POSITIVE_INFINITY,
    maxFragments: Number.POSITIVE_INFINITY,
  })
  let isOver = false
  let isAccepted = false
  let isPaused = false
  let cancelLook: (() => void) | undefined
  let cancelClose: (() => void) | undefined
  let tokens = rate.atOnce
  let filledAt = monotonic()

  /** Ends the client's side, after what it was sent, with a close frame where one can be written. */
  const endClient = (code: number, reason: string) => {
    if (isOver) return
    isOver = true
    if (fromWorker.hasClosed) client.end()
    else if (fromWorker.isBetweenFrames) client.end(closeFrame(code, reason))
    else client.destroy()
    after(linger, () => client.destroy())
  }
  const close = (code: number, reason: string) => {
    endClient(code, reason)
    if (fromClient.isBetweenFrames && worker.writable) worker.end(closeFrame(code, reason, true))
    else worker.destroy()
  }

  /** How many bytes the client's system has taken. */
  const taken = () => client.bytesWritten - client.writableLength
  /** A peer that reads, although slowly, gets what waits: a history can be larger than the limit. */
  const look = (before: number, since: number) => {
    cancelLook = undefined
    const waiting = client.writableLength
    if (isOver || waiting === 0) return
    const stalledSince = taken() > before ? monotonic() : since
    const mayStall = waiting > maxWaiting ? lookEvery : writeTimeout
    if (waiting > maxWaiting * 2 || monotonic() - stalledSince >= mayStall) close(1013, 'Too slow')
    else watch(stalledSince)
  }
  const watch = (since: number) => {
    const before = taken()
    cancelLook ??= after(lookEvery, () => look(before, since))
  }

  const resumeLater = () => {
    isPaused = true
    client.pause()
    after(Math.min(1000, (-tokens * rate.per) / rate.added), () => {
      isPaused = false
      if (!worker.writableNeedDrain) client.resume()
    })
  }

  client.on('data', (bytes: Buffer) => {
    if (isOver) return
    const before = fromClient.frames
    const fault = fromClient.read(bytes)
    if (fault !== undefined) {
      worker.destroy()
      return endClient(fault.code, fault.reason)
    }
    if (!worker.write(bytes)) client.pause()
    const now = monotonic()
    tokens =
      tokensAfter(rate, tokens, now - filledAt) - bytes.length - (fromClient.frames - before) * leastFrame
    filledAt = now
    if (tokens < 0 && !isPaused) resumeLater()
  })
  worker.on('drain', () => isPaused || client.resume())
  worker.on('data', (bytes: Buffer) => {
    if (isOver) return
    const wasClosed = fromWorker.hasClosed
    fromWorker.read(bytes)
    if (fromWorker.hasClosed && !wasClosed) cancelClose = after(closeTimeout, () => client.destroy())
    if (!isAccepted && bytes.includes('"auth_success"')) {
      isAccepted = true
      isIn()
    }
    if (client.write(bytes)) return
    if (client.writableLength > maxWaiting * 2) close(1013, 'Too slow')
    else watch(monotonic())
  })
  // Without a close frame, workerd or the owner of the object has ended.
  for (const event of ['end', 'close']) worker.on(event, () => endClient(...restarting))
  client.on('end', () => worker.end())
  const closed = new Promise<void>((resolve) =>
    client.on('close', () => {
      isOver = true
      cancelLook?.()
      cancelClose?.()
      worker.destroySoon()
      resolve()
    }),
  )
  for (const socket of [client, worker])
    socket
      .on('error', () => undefined)
      .setTimeout(0)
      .setNoDelay(true)
  return { restart: () => close(...restarting), closed }
}
