import type { Right } from './key-holder.ts'

/** An answer that is not a JSON record: a text, or a stream that is made while it is sent, such as a download. */
export class Stream {
  readonly body: string | ReadableStream<Uint8Array>
  /** `Content-Type`. */
  readonly type: string
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the body, where they are known at the start. */
  readonly bytes: number | undefined
  /** Whose stream it is, where that is not the holder of the key. */
  readonly holder: string | undefined
  /** With which it continues, where that is not the right of the key that was sent. */
  readonly right: Right | undefined
  /** Whether it may continue, apart from the key. A failure says nothing. */
  readonly isGood: (() => Promise<boolean>) | undefined

  constructor(
    body: Stream['body'],
    type: string,
    { status = 200, headers = {}, bytes, holder, right, isGood }: Partial<Omit<Stream, 'body' | 'type'>> = {},
  ) {
    this.body = body
    this.type = type
    this.status = status
    this.headers = headers
    this.bytes = bytes
    this.holder = holder
    this.right = right
    this.isGood = isGood
  }
}

/** A zip that is never changed. */
export interface SentFile {
  readonly bytes: number
  /** Names these bytes: another file never has it. */
  readonly tag: string
  /** @param length bytes, `maxPiece` of `backup-record.ts` at most; the piece is shorter at the end of the file */
  read(from: number, length: number): Promise<Uint8Array>
  /** Called once, when nothing more is read. */
  close?(): Promise<void>
}
