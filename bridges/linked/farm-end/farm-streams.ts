/** The streams that the edge reads from the farm over one link: piece by piece, as fast as its client takes them. */
import { Buffer } from 'node:buffer'
import type * as v from 'valibot'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { Stream } from '../../../handlers/stream.ts'
import { maxOpenStreams, maxStreamPiece, type streamPiece } from '../forwarded-call.ts'

export type FarmStreams = ReturnType<typeof farmStreams>

interface OpenStream {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  /** What was read and not sent yet. */
  rest: Uint8Array
}

/** @param onFailed called with the error of a stream that has failed */
export function farmStreams(onFailed: (error: unknown) => void) {
  const streams = new Map<number, OpenStream>()
  const cancel = (id: number) => {
    void streams
      .get(id)
      ?.reader.cancel()
      .catch(() => undefined)
    streams.delete(id)
  }
  const missing = () => new FarmError({ kind: 'unavailable' })
  return {
    /** @param id of the call that it answers */
    add(id: number, body: Stream['body']) {
      // The dispatcher has counted it; this ends what it could not, such as texts that the edge does not read.
      const [oldest] = streams.keys()
      if (oldest !== undefined && streams.size >= maxOpenStreams) cancel(oldest)
      const reader = (typeof body === 'string' ? new Blob([body]).stream() : body).getReader()
      streams.set(id, { reader, rest: new Uint8Array() })
      reader.closed.catch((error: unknown) => {
        if (streams.delete(id)) onFailed(error)
      })
    },
    /**
     * Reads the next piece.
     * @returns undefined at the end of the stream
     * @throws {FarmError} unavailable: no such stream is open, or reading it has failed
     */
    async next(id: number): Promise<v.InferOutput<typeof streamPiece>> {
      const stream = streams.get(id)
      if (stream === undefined) throw missing()
      // The last one was read most recently.
      streams.delete(id)
      streams.set(id, stream)
      while (stream.rest.length === 0) {
        const { done, value } = await stream.reader.read().catch(() => {
          throw missing()
        })
        if (done) {
          streams.delete(id)
          return undefined
        }
        stream.rest = value
      }
      const piece = stream.rest.subarray(0, maxStreamPiece)
      stream.rest = stream.rest.subarray(piece.length)
      return { base64: Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64') }
    },
    /** Those of these streams that are open. */
    open: (ids: readonly number[]) => ids.filter((id) => streams.has(id)),
    /** Does nothing for a stream that is not open. */
    cancel,
    stop() {
      for (const id of [...streams.keys()]) cancel(id)
    },
  }
}
