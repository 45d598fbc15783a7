import { createCipheriv, createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib'

/** The three container formats of chunks. */
export type Format = 'lzma' | 'zstd' | 'zip'

interface LzmaEncoder {
  readonly LZMA: { disableEndMark?: boolean; compress(bytes: Buffer, mode: number): number[] }
}

const require = createRequire(createRequire(import.meta.url).resolve('steam-user'))

/** Compressed chunks by their hash: the tests pack the same ones many times, and the encoder is slow. */
const compressed = new Map<string, Buffer>()

/** Compresses as the platform does: with the size and without an end marker, which some decoders refuse. */
function lzmaAlone(plain: Buffer): Buffer {
  const hash = sha1(plain).toString('hex')
  const made = compressed.get(hash) ?? encodeLzma(plain)
  compressed.set(hash, made)
  return made
}

function encodeLzma(plain: Buffer): Buffer {
  const { LZMA }: LzmaEncoder = require('lzma/src/lzma_worker.js')
  LZMA.disableEndMark = true
  return Buffer.from(LZMA.compress(plain, 1))
}

/** Packs plain data into a container. */
export function pack(plain: Buffer, format: Format): Buffer {
  const crc = crc32(plain)
  if (format === 'lzma') {
    const alone = lzmaAlone(plain)
    return Buffer.concat([
      Buffer.from('VZa'),
      u32(0),
      alone.subarray(0, 5),
      alone.subarray(13),
      u32(crc),
      u32(plain.length),
      Buffer.from('zv'),
    ])
  }
  if (format === 'zstd') {
    return Buffer.concat([
      Buffer.from('VSZa'),
      u32(crc),
      zstdCompressSync(plain),
      u32(crc),
      u32(plain.length),
      u32(0),
      Buffer.from('zsv'),
    ])
  }
  return zip(deflateRawSync(plain), 8, crc, plain.length)
}

/** A zip file of one entry named `z`. Method 0 stores, 8 deflates. */
export function zip(body: Buffer, method: number, crc: number, size: number): Buffer {
  const common = Buffer.concat([
    u16(20),
    u16(0),
    u16(method),
    u32(0),
    u32(crc),
    u32(body.length),
    u32(size),
    u16(1),
    u16(0),
  ])
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from('z')])
  const entry = Buffer.concat([
    Buffer.from('PK\x01\x02', 'latin1'),
    u16(20),
    common,
    u16(0),
    u16(0),
    u16(0),
    u32(0),
    u32(0),
    Buffer.from('z'),
  ])
  const end = Buffer.concat([
    Buffer.from('PK\x05\x06', 'latin1'),
    u16(0),
    u16(0),
    u16(1),
    u16(1),
    u32(entry.length),
    u32(local.length + body.length),
    u16(0),
  ])
  return Buffer.concat([local, body, entry, end])
}

/** Encrypts with a depot key: the IV in ECB mode, then CBC. The IV is a hash of the data, so the result is repeatable. */
export function encrypt(plain: Buffer, key: Buffer): Buffer {
  const iv = createHash('md5').update(plain.subarray(0, 4096)).digest()
  const ecb = createCipheriv('aes-256-ecb', key, null)
  ecb.setAutoPadding(false)
  const cbc = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([ecb.update(iv), cbc.update(plain), cbc.final()])
}

export function sha1(bytes: Buffer): Buffer {
  return createHash('sha1').update(bytes).digest()
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
