import { constants, crc32, inflateRawSync, zstdDecompressSync } from 'node:zlib'
import { lzma } from '@napi-rs/lzma'

/** Extra bytes of output, so that the decoder reaches the end of its stream without a second buffer. */
const slack = 64

/**
 * Unpacks one container of Steam: `VZa` (LZMA), `VSZa` (zstd) or `PK` (zip, first entry).
 * The output is at most `limit` bytes, also when the container states a smaller size than it has.
 * @throws Error for an unknown container, a damaged one, or one that holds more than `limit` bytes
 */
export function unpack(packed: Buffer, limit: number): Buffer {
  const magic = packed.toString('latin1', 0, 4)
  if (magic.startsWith('VZa')) return unpackLzma(packed, limit)
  if (magic === 'VSZa') return unpackZstd(packed, limit)
  if (magic === 'PK\x03\x04') return unpackZip(packed, limit)
  throw new Error('unknown compression')
}

/** Unpacks and checks the CRC of the container, for data without a known SHA-1. @throws Error also for a wrong CRC */
export function unpackChecked(packed: Buffer, limit: number): Buffer {
  const plain = unpack(packed, limit)
  if (crc32(plain) !== statedCrc(packed)) throw new Error('CRC is wrong')
  return plain
}

function statedCrc(packed: Buffer): number {
  const magic = packed.toString('latin1', 0, 4)
  if (magic.startsWith('VZa')) return packed.readUInt32LE(packed.length - 10)
  if (magic === 'VSZa') return packed.readUInt32LE(packed.length - 15)
  return zipEntry(packed).crc
}

function checkSize(stated: number, limit: number): void {
  if (stated > limit) throw new Error('more data than stated')
}

/** `VZa`, 4 bytes of time or CRC, 5 of LZMA properties, the stream, CRC, size, `zv`. */
function unpackLzma(packed: Buffer, limit: number): Buffer {
  if (packed.length < 22 || packed.toString('latin1', packed.length - 2) !== 'zv')
    throw new Error('LZMA footer')
  const size = packed.readUInt32LE(packed.length - 6)
  checkSize(size, limit)
  const body = packed.subarray(12, packed.length - 10)
  const alone = Buffer.allocUnsafe(13 + body.length)
  packed.copy(alone, 0, 7, 8)
  // A dictionary larger than the output only uses memory.
  alone.writeUInt32LE(Math.min(packed.readUInt32LE(8), Math.max(size, 4096)), 1)
  alone.writeBigUInt64LE(BigInt(size), 5)
  body.copy(alone, 13)
  const plain = lzma.decompressSync(alone)
  if (plain.length !== size) throw new Error('LZMA size is wrong')
  return plain
}

/** `VSZa`, CRC, the frame, CRC, size, 4 zero bytes, `zsv`. */
function unpackZstd(packed: Buffer, limit: number): Buffer {
  if (packed.length < 23 || packed.toString('latin1', packed.length - 3) !== 'zsv')
    throw new Error('zstd footer')
  const size = packed.readUInt32LE(packed.length - 11)
  checkSize(size, limit)
  const frame = packed.subarray(8, packed.length - 15)
  const plain = zstdDecompressSync(frame, { maxOutputLength: size + slack, chunkSize: size + slack })
  if (plain.length !== size) throw new Error('zstd size is wrong')
  return plain
}

interface ZipEntry {
  readonly method: number
  readonly crc: number
  readonly size: number
  readonly body: Buffer
}

/** Reads the first entry from the central directory, because local headers may omit the sizes. */
function zipEntry(packed: Buffer): ZipEntry {
  const end = packed.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0) throw new Error('zip directory')
  const entry = packed.readUInt32LE(end + 16)
  if (packed.readUInt32LE(entry) !== 0x02014b50) throw new Error('zip entry')
  const local = packed.readUInt32LE(entry + 42)
  const start = local + 30 + packed.readUInt16LE(local + 26) + packed.readUInt16LE(local + 28)
  const length = packed.readUInt32LE(entry + 20)
  if (start + length > packed.length) throw new Error('zip ends early')
  return {
    method: packed.readUInt16LE(entry + 10),
    crc: packed.readUInt32LE(entry + 16),
    size: packed.readUInt32LE(entry + 24),
    body: packed.subarray(start, start + length),
  }
}

function unpackZip(packed: Buffer, limit: number): Buffer {
  const { method, size, body } = zipEntry(packed)
  checkSize(size, limit)
  if (method !== 0 && method !== 8) throw new Error('zip method')
  const plain =
    method === 0
      ? body
      : inflateRawSync(body, {
          maxOutputLength: size + slack,
          chunkSize: Math.max(size + slack, constants.Z_MIN_CHUNK),
        })
  if (plain.length !== size) throw new Error('zip size is wrong')
  return plain
}
