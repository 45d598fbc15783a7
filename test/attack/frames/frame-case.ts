/** The common parts of the cases of WebSocket frames. */
import { clientFrame, type FrameOptions } from '../../raw-bytes.ts'

/**
 * @param frames the client's frames @param outcome the server's frames: `pong`, `error malformed` for messages, `PONG
 * payload`, `CLOSE code` for control frames. After a `CLOSE` the connection ends; otherwise it stays open
 */
export type FrameCase = readonly [what: string, frames: readonly Buffer[], outcome: readonly string[]]

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const frameOf =
  (opcode: number) =>
  (payload: Buffer | string = '', options?: FrameOptions) =>
    clientFrame(opcode, payload, options)

export const text = frameOf(opcodes.text)
export const binary = frameOf(opcodes.binary)
export const continuation = frameOf(opcodes.continuation)
export const ping = frameOf(opcodes.ping)
export const pong = frameOf(opcodes.pong)
export const close = (code: number, reason: Buffer | string = '') =>
  frameOf(opcodes.close)(Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]))
export const closeFrame = frameOf(opcodes.close)

const question = '{"type":"ping"}'
/** A message that is answered by `pong`, padded with blanks to so many bytes. */
export const message = (bytes = question.length) => question.padEnd(bytes)
/** A message that is answered by `pong` if its bytes are UTF-8. */
export const messageWith = (bytes: Buffer | string) =>
  Buffer.concat([Buffer.from('{"type":"ping","x":"'), Buffer.from(bytes), Buffer.from('"}')])

export const unfinished = { fin: false } as const

/** A message in fragments of so many bytes. */
export function fragments(payload: Buffer | string, size: number): readonly Buffer[] {
  const bytes = Buffer.from(payload)
  const count = Math.max(1, Math.ceil(bytes.length / size))
  return Array.from({ length: count }, (_, at) =>
    (at === 0 ? text : continuation)(bytes.subarray(at * size, (at + 1) * size), { fin: at === count - 1 }),
  )
}
