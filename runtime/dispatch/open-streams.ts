/**
 * The open streams of one farm: downloads and exports. Each holder (a key, a person, a pack link, an address without a
 * key) has a share of them, so that no one uses up what others may have; and each stream ends soon after the right to
 * it.
 */
import { type KeyHolder, withoutKey } from '../../handlers/key-holder.ts'
import { Problem } from '../../handlers/problem.ts'
import { Stream } from '../../handlers/stream.ts'
import { callerOf } from '../../lib/caller-address.ts'
import type { Clock } from '../../lib/clock.ts'

export type OpenStreams = ReturnType<typeof openStreams>

/** Streams, and bytes that they hold: the last piece of each waits until its client takes it. */
export const streamLimits = {
  ofHolder: { streams: 8, bytes: 8 * 1024 ** 2 },
  /** Past these a holder may have one, but no second one. */
  shared: { streams: 64, bytes: 32 * 1024 ** 2 },
  /** Past this no more are opened: there are more addresses than memory. */
  inAll: 256,
} as const

/** Milliseconds between two looks at the right to each stream. */
const lookEvery = 300
/** Milliseconds without a read after which a stream gives way to a new one. */
const idleAfter = 60_000
/** Seconds after which a refused client tries again. */
const retryAfter = 10

interface OpenStream {
  readonly holder: string
  readonly isAllowed: () => boolean
  /** @returns whether the stream's own condition, such as its link, still holds; it may fail */
  readonly isGood: (() => Promise<boolean>) | undefined
  /** Whether `isGood` has not answered yet. */
  isLooking: boolean
  bytes: number
  readAt: number
  end(error: Error): void
}

/** @param holder of the key @param address of a client without one */
export const streamHolder = (holder: KeyHolder | undefined, address: string): string => {
  if (holder === undefined || holder.id === withoutKey.id) return `address ${callerOf(address)}`
  return holder.account === undefined ? `key ${holder.id}` : `account ${holder.account.id}`
}

export function openStreams({ monotonic }: Pick<Clock, 'monotonic'>) {
  /** In the order in which they were last read. */
  const open = new Set<OpenStream>()
  let looking: ReturnType<typeof setInterval> | undefined

  const look = () => {
    for (const one of open) {
      if (!one.isAllowed()) one.end(ended())
      else if (one.isGood !== undefined && !one.isLooking) {
        one.isLooking = true
        one
          .isGood()
          .then((isGood) => isGood || one.end(ended()))
          // Whether it holds is not known now: the next look asks again.
          .catch(() => undefined)
          .finally(() => {
            one.isLooking = false
          })
      }
    }
  }
  const forget = (one: OpenStream) => {
    open.delete(one)
    if (open.size > 0) return
    clearInterval(looking)
    looking = undefined
  }
  const sizeOf = (some: Iterable<OpenStream>) => {
    const size = { streams: 0, bytes: 0 }
    for (const { bytes } of some) {
      size.streams += 1
      size.bytes += bytes
    }
    return size
  }
  const isFull = (size: ReturnType<typeof sizeOf>, most: typeof size) =>
    size.streams >= most.streams || size.bytes >= most.bytes
  /** Ends one that was not read for long, such as that of a client whose leaving was not noticed. */
  const giveWay = (some: readonly OpenStream[]): boolean => {
    const [oldest] = some
    if (oldest === undefined || monotonic() - oldest.readAt < idleAfter) return false
    oldest.end(new Error('nothing has read this answer for a minute'))
    return true
  }
  const makeRoom = (holder: string): void => {
    const own = [...open].filter((one) => one.holder === holder)
    const isOver =
      own.length === 0
        ? open.size >= streamLimits.inAll
        : isFull(sizeOf(own), streamLimits.ofHolder) || isFull(sizeOf(open), streamLimits.shared)
    if (!isOver || giveWay(own.length === 0 ? [...open] : own)) return
    const whose = own.length === 0 ? 'on this farm' : 'of yours'
    throw new Problem(
      'rate_limited',
      `Too many downloads ${whose} are open; try again in ${retryAfter} s, or when one has ended`,
      { retryAfter },
    )
  }

  return {
    /**
     * Counts a stream until it ends.
     * @param holder who has it, where the stream itself does not name one
     * @param isAllowed whether the key still has the scope: asked at every piece, and several times a second
     * @returns the stream to send. It fails when the right to it ends
     * @throws {Problem} rate_limited, after the given stream was cancelled
     */
    opened(stream: Stream, holder: string, isAllowed: () => boolean): Stream {
      const { body, type, isGood } = stream
      if (typeof body === 'string') return stream
      try {
        makeRoom(stream.holder ?? holder)
      } catch (error) {
        body.cancel().catch(() => undefined)
        throw error
      }
      const reader = body.getReader()
      let controller: ReadableStreamDefaultController<Uint8Array>
      const one: OpenStream = {
        holder: stream.holder ?? holder,
        isAllowed,
        isGood,
        isLooking: false,
        bytes: 0,
        readAt: monotonic(),
        end(error) {
          forget(one)
          controller.error(error)
          reader.cancel(error).catch(() => undefined)
        },
      }
      const counted = new ReadableStream<Uint8Array>(
        {
          start(of) {
            controller = of
          },
          async pull() {
            if (!isAllowed()) return one.end(ended())
            one.readAt = monotonic()
            open.delete(one)
            open.add(one)
            try {
              const { done, value } = await reader.read()
              if (!open.has(one)) return
              one.bytes = value?.byteLength ?? 0
              if (!done) return controller.enqueue(value)
              forget(one)
              controller.close()
            } catch (error) {
              if (open.has(one)) forget(one)
              throw error
            }
          },
          cancel(reason) {
            forget(one)
            return reader.cancel(reason)
          },
        },
        { highWaterMark: 0 },
      )
      open.add(one)
      looking ??= setInterval(look, lookEvery)
      return new Stream(counted, type, { ...stream, holder: one.holder })
    },
    /** How many are open. */
    get size() {
      return open.size
    },
  }
}

const ended = () => new Error('the key or link of this answer has ended')
