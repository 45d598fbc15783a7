/** The uploads that the edge sends to the farm over one link, piece by piece, as fast as an endpoint takes them. */
import { Buffer } from 'node:buffer'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { UploadPiece } from '../forwarded-call.ts'

/** Maximum of open uploads. */
const maxUploads = 8

export type FarmUploads = ReturnType<typeof farmUploads>

export function farmUploads() {
  const open = new Map<string, WritableStreamDefaultWriter<Uint8Array>>()
  const close = (name: string) => {
    open
      .get(name)
      ?.abort(new Error('the upload has ended early'))
      .catch(() => undefined)
    open.delete(name)
  }
  const unavailable = () => new FarmError({ kind: 'unavailable' })
  return {
    /** @throws {FarmError} unavailable when too many are open, or one with this name */
    open(name: string): ReadableStream<Uint8Array> {
      if (open.has(name) || open.size >= maxUploads) throw unavailable()
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      writer.closed.catch(() => undefined)
      open.set(name, writer)
      return readable
    },
    /** @returns when the endpoint has taken the piece @throws {FarmError} unavailable when it takes no more */
    async put({ upload, base64, end }: UploadPiece) {
      const writer = open.get(upload)
      if (writer === undefined) throw unavailable()
      try {
        if (base64 !== '') await writer.write(Buffer.from(base64, 'base64'))
        if (end === 'whole') await writer.close()
      } catch {
        throw unavailable()
      }
      if (end === 'broken') close(upload)
    },
    /** The endpoint has answered. */
    close,
    stop() {
      for (const name of [...open.keys()]) close(name)
    },
  }
}
