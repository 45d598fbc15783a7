import { encrypt, type Format, pack, sha1 } from './pack.ts'
import { encode } from './protobufs.ts'
import { seededBytes } from './seeded.ts'

/** One file of a stand-in depot. */
export interface FileSpec {
  readonly path: string
  readonly content?: Buffer
  /** EDepotFileFlag: 32 executable, 64 directory, 512 link. */
  readonly flags?: number
  readonly target?: string
}

/** A chunk as the content server sends it. */
interface PackedChunk {
  readonly sha: string
  readonly packed: () => Buffer
  readonly size: number
  readonly packedSize: number
}

/** One version of a depot, for the platform and for the content servers. */
export interface StandInDepot {
  readonly depotId: number
  readonly manifestId: string
  readonly key: Buffer
  /** The packed manifest, as the content server sends it. */
  readonly manifest: Buffer
  readonly chunks: ReadonlyMap<string, PackedChunk>
  readonly files: readonly FileSpec[]
}

export interface DepotSpec {
  readonly depotId?: number
  readonly manifestId?: string
  readonly files: readonly FileSpec[]
  /** Container formats, used in turn. */
  readonly formats?: readonly Format[]
  readonly chunkSize?: number
  readonly namesEncrypted?: boolean
  /** Changes an entry of the manifest before it is encoded, for tests with hostile manifests. */
  readonly mangle?: (entry: Record<string, unknown>) => Record<string, unknown>
}

const DEFAULT_CHUNK = 2 ** 20

/** @returns the key of a depot; the same number gives the same key */
export function depotKey(depotId: number): Buffer {
  return seededBytes(depotId, 32)
}

/** Makes a depot: splits the files into chunks, packs and encrypts them, and makes the manifest. */
export function makeDepot(spec: DepotSpec): StandInDepot {
  const { depotId = 413153, manifestId = '7123456789012345678', files } = spec
  const {
    formats = ['zstd'],
    chunkSize = DEFAULT_CHUNK,
    namesEncrypted = true,
    mangle = (entry) => entry,
  } = spec
  const key = depotKey(depotId)
  const chunks = new Map<string, PackedChunk>()
  const entries = files.map((file) => {
    const content = file.content ?? Buffer.alloc(0)
    const pieces: object[] = []
    for (let offset = 0; offset < content.length; offset += chunkSize) {
      const plain = content.subarray(offset, offset + chunkSize)
      const digest = sha1(plain)
      const sha = digest.toString('hex')
      const chunk =
        chunks.get(sha) ?? packChunk(plain, sha, key, formats[chunks.size % formats.length] ?? 'zstd')
      chunks.set(sha, chunk)
      pieces.push({ sha: digest, crc: 0, offset, cb_original: plain.length, cb_compressed: chunk.packedSize })
    }
    return entryOf(file, content, pieces, namesEncrypted ? key : undefined)
  })
  const manifest = packManifest({ depotId, manifestId, namesEncrypted, entries: entries.map(mangle) })
  return { depotId, manifestId, key, manifest, chunks, files }
}

function packChunk(plain: Buffer, sha: string, key: Buffer, format: Format): PackedChunk {
  const packed = encrypt(pack(plain, format), key)
  return { sha, size: plain.length, packedSize: packed.length, packed: () => packed }
}

/** @returns one `FileMapping`; with a key its names are NUL-terminated, encrypted and in base64 */
export function entryOf(
  { path, flags = 0, target }: FileSpec,
  content: { readonly length: number } & Buffer,
  chunks: readonly object[],
  key: Buffer | undefined,
): Record<string, unknown> {
  const name = (text: string): string =>
    key === undefined ? text : encrypt(Buffer.from(`${text}\0`), key).toString('base64')
  return {
    filename: name(path),
    size: content.length,
    flags,
    sha_filename: sha1(Buffer.from(path)),
    sha_content: content.length === 0 ? Buffer.alloc(20) : sha1(content),
    chunks,
    ...(target === undefined ? {} : { linktarget: name(target) }),
  }
}

/** @returns a manifest: sections with their magic numbers, in a zip */
export function packManifest(parts: {
  readonly depotId: number
  readonly manifestId: string
  readonly namesEncrypted: boolean
  readonly entries: readonly object[]
}): Buffer {
  const metadata = encode('ContentManifestMetadata', {
    depot_id: parts.depotId,
    gid_manifest: parts.manifestId,
    creation_time: 1_700_000_000,
    filenames_encrypted: parts.namesEncrypted,
  })
  const plain = Buffer.concat([
    section(0x71f617d0, encode('ContentManifestPayload', { mappings: parts.entries })),
    section(0x1f4812be, metadata),
    section(0x1b81b817, Buffer.alloc(0)),
    magic(0x32c415ab),
  ])
  return pack(plain, 'zip')
}

function section(number: number, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([magic(number), length, body])
}

function magic(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}
