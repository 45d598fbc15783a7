/**
 * Writes a zip, for a separate thread: it compresses on that thread itself. The streams of `node:zlib` compress in the
 * pool of threads that files and backups need.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  /** With `/`. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly changedAt: number
  /** In pieces, each valid until the next one is read. */
  content(): AsyncIterable<Uint8Array>
}

/** @param text read only when the entry is written */
export const textEntry = (path: string, changedAt: number, text: () => string): ZipEntry => ({
  path,
  changedAt,
  async *content() {
    yield Buffer.from(text())
  },
})

/** UTF-8 names, and sizes after the content. */
const flags = 0x0808
const deflated = 8
const version = 20
const madeOnUnix = (3 << 8) | version
const regularFile = 0o100644 * 0x10000
/** An empty last block. */
const end = Buffer.from([3, 0])

/** @param write takes the bytes in order; at most 65,535 entries, and less than 4 GiB */
export async function writeZip(
  entries: Iterable<ZipEntry>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  let at = 0
  const put = async (bytes: Uint8Array) => {
    at += bytes.length
    await write(bytes)
  }
  const directory: Buffer[] = []
  for (const { path, changedAt, content } of entries) {
    const start = at
    const name = Buffer.from(path)
    const [date, time] = dosTime(new Date(changedAt))
    const head = (crc: number, packed: number, size: number) =>
      fields(2, [version, flags, deflated, time, date], 4, [crc, packed, size], 2, [name.length, 0])
    await put(Buffer.concat([fields(4, [0x04034b50]), head(0, 0, 0), name]))
    const first = at
    let [crc, size] = [0, 0]
    for await (const piece of content()) {
      crc = crc32(piece, crc)
      size += piece.length
      await put(deflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH }))
    }
    await put(end)
    const packed = at - first
    await put(fields(4, [0x08074b50, crc, packed, size]))
    directory.push(
      Buffer.concat([
        fields(4, [0x02014b50], 2, [madeOnUnix]),
        head(crc, packed, size),
        fields(2, [0, 0, 0], 4, [regularFile, start]),
        name,
      ]),
    )
  }
  const start = at
  for (const entry of directory) await put(entry)
  const count = directory.length
  await put(fields(4, [0x06054b50], 2, [0, 0, count, count], 4, [at - start, start], 2, [0]))
}

/** Numbers of 2 or 4 bytes, the lowest first. */
function fields(...groups: readonly (number | readonly number[])[]): Buffer {
  const bytes: Buffer[] = []
  let width = 2
  for (const group of groups) {
    if (typeof group === 'number') width = group
    else
      for (const value of group) {
        const field = Buffer.alloc(width)
        field.writeUIntLE(value, 0, width)
        bytes.push(field)
      }
  }
  return Buffer.concat(bytes)
}

/** Date and time, in UTC, so that they do not depend on the machine's zone. */
function dosTime(time: Date): readonly [number, number] {
  const year = Math.min(2107, Math.max(1980, time.getUTCFullYear()))
  return [
    ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
  ]
}
