/** Zips with entries that no ordinary program writes, for tests of hostile archives. */
import { crc32 } from 'node:zlib'

export interface CraftedEntry {
  readonly name: string
  readonly content?: string | Buffer
  /** Type and rights of a file of Unix. */
  readonly mode?: number
  /** The header before the content, if it differs from the directory at the end. */
  readonly local?: { readonly name?: string; readonly crc?: number; readonly bytes?: number }
  /** The length of the content in both headers. */
  readonly bytes?: number
  readonly crc?: number
  /** The stored bytes; the content itself, unless given. */
  readonly packed?: { readonly method: number; readonly content: Buffer }
}

/** The zip of some entries, as APPNOTE.TXT of PKWARE describes it, without any optional part. */
export function craftedZip(entries: readonly CraftedEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const plain = Buffer.from(entry.content ?? '')
    const { method, content } = entry.packed ?? { method: 0, content: plain }
    const said = { crc: entry.crc ?? crc32(plain), bytes: entry.bytes ?? plain.length, name: entry.name }
    const fields = ({ crc, bytes }: typeof said, name: Buffer) => {
      const header = Buffer.alloc(26)
      header.writeUInt16LE(20, 0)
      // The name is UTF-8.
      header.writeUInt16LE(0x800, 2)
      header.writeUInt16LE(method, 4)
      header.writeUInt32LE(crc, 10)
      header.writeUInt32LE(content.length, 14)
      header.writeUInt32LE(bytes, 18)
      header.writeUInt16LE(name.length, 22)
      return header
    }
    const local = { ...said, ...entry.local }
    const [localName, name] = [Buffer.from(local.name), Buffer.from(said.name)]
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), fields(local, localName), localName])
    parts.push(head, content)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((entry.mode ?? 0o100644) * 2 ** 16, 6)
    rest.writeUInt32LE(offset, 10)
    // Made by Unix.
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), fields(said, name), rest, name)
    offset += head.length + content.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end])
}
