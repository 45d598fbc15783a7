/** A small PNG writer: one palette, stored deflate blocks. Needs nothing of the platform, so it runs everywhere. */

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

function crc32(bytes: readonly number[]): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

function adler32(bytes: Uint8Array): number {
  let low = 1
  let high = 0
  for (const byte of bytes) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  return ((high << 16) | low) >>> 0
}

const uint32 = (value: number): number[] => [
  (value >>> 24) & 0xff,
  (value >>> 16) & 0xff,
  (value >>> 8) & 0xff,
  value & 0xff,
]

function chunk(name: string, content: readonly number[]): number[] {
  const named = [...[...name].map((letter) => letter.charCodeAt(0)), ...content]
  return [...uint32(content.length), ...named, ...uint32(crc32(named))]
}

/** zlib with blocks that are stored as they are (RFC 1950, RFC 1951 3.2.4). */
function stored(bytes: Uint8Array): number[] {
  const out = [0x78, 0x01]
  const most = 0xffff
  for (let at = 0; at < bytes.length; at += most) {
    const block = bytes.subarray(at, at + most)
    const { length } = block
    out.push(
      at + most >= bytes.length ? 1 : 0,
      length & 0xff,
      length >> 8,
      ~length & 0xff,
      (~length >> 8) & 0xff,
    )
    for (const byte of block) out.push(byte)
  }
  out.push(...uint32(adler32(bytes)))
  return out
}

export type Colour = readonly [red: number, green: number, blue: number]

/**
 * @param palette at most 256 colours
 * @param pixels places in the palette, row by row
 */
export function png(
  width: number,
  height: number,
  palette: readonly Colour[],
  pixels: Uint8Array,
): Uint8Array {
  const rows = new Uint8Array((width + 1) * height)
  // Each row begins with its filter: 0, none.
  for (let y = 0; y < height; y += 1)
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Uint8Array.from([
    ...signature,
    ...chunk('IHDR', [...uint32(width), ...uint32(height), 8, 3, 0, 0, 0]),
    ...chunk('PLTE', palette.flat()),
    ...chunk('IDAT', stored(rows)),
    ...chunk('IEND', []),
  ])
}
