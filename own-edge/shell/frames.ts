/** The heads of WebSocket frames (RFC 6455 section 5.2). Their payloads pass unseen. */

/** Why a peer's socket must be closed. */
export interface FrameFault {
  readonly code: 1002 | 1009
  readonly reason: string
}

export interface FrameLimits {
  /** Whether the peer is a client, which masks its frames. */
  readonly isClient: boolean
  /** Maximum of bytes in a message, and of the frames that it comes in. */
  readonly maxMessage: number
  readonly maxFragments: number
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const known: ReadonlySet<number> = new Set(Object.values(opcodes))
const longestControl = 125

const broken: FrameFault = { code: 1002, reason: '' }
const tooLong: FrameFault = { code: 1009, reason: 'Message too long' }

/** Follows the frames of one direction of a connection. */
export class FrameReader {
  readonly #limits: FrameLimits
  readonly #head = Buffer.alloc(14)
  #headBytes = 0
  /** Bytes of the current frame's payload that have not come yet. */
  #left = 0
  /** The unfinished message. */
  #message: { bytes: number; fragments: number } | undefined
  /** Whether a close frame has come whole, or begun. */
  hasClosed = false
  /** How many frames have begun. */
  frames = 0

  constructor(limits: FrameLimits) {
    this.#limits = limits
  }

  /** Whether another frame may be written after what was read so far. */
  get isBetweenFrames(): boolean {
    return this.#headBytes === 0 && this.#left === 0
  }

  read(bytes: Buffer): FrameFault | undefined {
    for (let at = 0; at < bytes.length; ) {
      const taken = Math.min(this.#left, bytes.length - at)
      this.#left -= taken
      at += taken
      if (this.#left > 0 || at === bytes.length) return undefined
      this.#head[this.#headBytes] = bytes[at] ?? 0
      this.#headBytes += 1
      at += 1
      if (this.#headBytes < this.#headSize) continue
      const fault = this.#begin()
      if (fault !== undefined) return fault
      this.#headBytes = 0
    }
    return undefined
  }

  /** 2 until the second byte is there. */
  get #headSize(): number {
    if (this.#headBytes < 2) return 2
    const second = this.#head[1] ?? 0
    const short = second & 0x7f
    return 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + (second & 0x80 ? 4 : 0)
  }

  #begin(): FrameFault | undefined {
    const [first = 0, second = 0] = this.#head
    const opcode = first & 0x0f
    const isLast = (first & 0x80) !== 0
    const short = second & 0x7f
    const length =
      short < 126 ? short : short === 126 ? this.#head.readUInt16BE(2) : Number(this.#head.readBigUInt64BE(2))
    // The reserved bits are those of extensions, of which none was agreed on.
    if ((first & 0x70) !== 0 || ((second & 0x80) !== 0) !== this.#limits.isClient || !known.has(opcode))
      return broken
    this.#left = length
    this.frames += 1
    if (opcode >= opcodes.close) {
      this.hasClosed ||= opcode === opcodes.close
      return isLast && length <= longestControl ? undefined : broken
    }
    if ((opcode === opcodes.continuation) !== (this.#message !== undefined)) return broken
    const { bytes, fragments } = this.#message ?? { bytes: 0, fragments: 0 }
    this.#message = isLast ? undefined : { bytes: bytes + length, fragments: fragments + 1 }
    return bytes + length > this.#limits.maxMessage || fragments >= this.#limits.maxFragments
      ? tooLong
      : undefined
  }
}

/** A close frame. @param reason at most 123 bytes */
export function closeFrame(code: number, reason: string, isMasked = false): Buffer {
  const text = Buffer.from(reason)
  // A mask of zeros changes nothing; the other end is on this machine.
  const head = [0x88, (isMasked ? 0x80 : 0) | (text.length + 2), ...(isMasked ? [0, 0, 0, 0] : [])]
  return Buffer.concat([Buffer.from([...head, code >> 8, code & 0xff]), text])
}
