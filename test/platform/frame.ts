import { gzipSync } from 'node:zlib'
import { decode, EMsg, encode, numberOf } from './protobufs.ts'

const PROTOBUF = 0x80000000

/** A message on the wire: `u32le(number | 0x80000000), u32le(header length), CMsgProtoBufHeader, body`. */
export interface Frame {
  readonly message: number
  readonly header: Record<string, unknown>
  readonly body: Buffer
}

/** @returns the frame, or null for a message without protobuf header, which no logged-on client sends. */
export function readFrame(bytes: Buffer): Frame | null {
  const raw = bytes.readUInt32LE(0)
  if ((raw & PROTOBUF) === 0) return null
  const length = bytes.readUInt32LE(4)
  return {
    message: (raw & ~PROTOBUF) >>> 0,
    header: decode('CMsgProtoBufHeader', bytes.subarray(8, 8 + length)),
    body: bytes.subarray(8 + length),
  }
}

/** @returns the bytes of one frame. The header's `eresult` is 1 unless given: its protobuf default is 2, "failed". */
export function writeFrame(message: number, header: object, body: Uint8Array): Buffer {
  const head = encode('CMsgProtoBufHeader', { eresult: 1, ...header })
  const start = Buffer.alloc(8)
  start.writeUInt32LE((message | PROTOBUF) >>> 0, 0)
  start.writeUInt32LE(head.length, 4)
  return Buffer.concat([start, head, body])
}

/** @returns the frame inside a gzipped `Multi`, as the platform sends its logon reply. */
export function writeMulti(frame: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(frame.length)
  const plain = Buffer.concat([length, frame])
  const body = encode('CMsgMulti', { size_unzipped: plain.length, message_body: gzipSync(plain) })
  return writeFrame(numberOf(EMsg, 'Multi'), {}, body)
}
