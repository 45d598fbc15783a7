import { createCipheriv, createHash } from 'node:crypto'
import {
  depotKey,
  entryOf,
  type FileSpec,
  makeDepot,
  packManifest,
  type StandInDepot,
} from '../../test/platform/depots.ts'
import { encrypt, type Format, zip } from '../../test/platform/pack.ts'
import { seededBytes } from '../../test/platform/seeded.ts'
import { SDK_DEPOT } from './place.ts'

const MIB = 2 ** 20

export function sdkDepot(): StandInDepot {
  const files = [{ path: 'linux64/steamclient.so', content: seededBytes(SDK_DEPOT, 100_000) }]
  return makeDepot({ files, depotId: SDK_DEPOT, manifestId: String(SDK_DEPOT) })
}

/**
 * A depot of `megabytes` MiB with chunks in one format. Its files are like a game's: for every 70 MiB four large ones
 * and 150 small ones of 8 to 75 kB.
 */
export function gameDepot(format: Format, megabytes: number, depotId: number): StandInDepot {
  const small = Math.round((megabytes / 70) * 150)
  const large = Math.max(4, Math.round((megabytes / 70) * 4))
  // Files are cut from one pool of seeded bytes at shifting positions, because generating every byte would take
  // longer than the measurement.
  const pool = seededBytes(depotId, Math.min(megabytes, 24) * MIB)
  let cut = 0
  const piece = (size: number): Buffer => {
    const bytes = Buffer.allocUnsafe(size)
    for (let at = 0; at < size; ) {
      const start = cut % pool.length
      at += pool.copy(bytes, at, start, Math.min(pool.length, start + size - at))
      cut += size - 4099
    }
    return bytes
  }
  const smallSize = (index: number): number => 8_000 + ((index * 7919) % 67_000)
  const files: FileSpec[] = Array.from({ length: small }, (_, index) => ({
    path: `Content/Maps/map-${index}.xnb`,
    content: piece(smallSize(index)),
  }))
  const rest = megabytes * MIB - files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
  for (let index = 0; index < large; index++) {
    files.push({ path: `lib/assembly-${index}.dll`, content: piece(Math.floor(rest / large)) })
  }
  return makeDepot({ files, formats: [format], depotId, manifestId: String(depotId) })
}

/**
 * A depot of any size that is never in memory as a whole. Each chunk is an uncompressed zip, and all are equal except for
 * a number near the end, so that only the last blocks of a chunk are encrypted when it is requested. (The CRC in the zip
 * is wrong; chunks are checked by SHA-1 only.)
 */
export function hugeDepot(megabytes: number, depotId: number): StandInDepot {
  const key = depotKey(depotId)
  const plain = seededBytes(depotId, MIB)
  const container = zip(plain, 0, 0, MIB)
  const numberAt = container.indexOf(plain.subarray(0, 64)) + MIB - 4
  const cut = numberAt - (numberAt % 16)
  const head = encrypt(Buffer.concat([container.subarray(0, cut), Buffer.alloc(16)]), key).subarray(
    0,
    16 + cut,
  )
  const beforeNumber = createHash('sha1').update(plain.subarray(0, MIB - 4))
  const packedOf = (number: number): Buffer => {
    const tail = Buffer.from(container.subarray(cut))
    tail.writeUInt32LE(number, numberAt - cut)
    const cipher = createCipheriv('aes-256-cbc', key, head.subarray(-16))
    return Buffer.concat([head, cipher.update(tail), cipher.final()])
  }
  const packedSize = packedOf(0).length
  const chunks = new Map<
    string,
    StandInDepot['chunks'] extends ReadonlyMap<string, infer Chunk> ? Chunk : never
  >()
  const entries: object[] = []
  const perFile = 64
  for (let first = 0; first < megabytes; first += perFile) {
    const pieces: object[] = []
    const count = Math.min(perFile, megabytes - first)
    for (let index = 0; index < count; index++) {
      const number = first + index
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(number)
      const digest = beforeNumber.copy().update(bytes).digest()
      const sha = digest.toString('hex')
      chunks.set(sha, { sha, size: MIB, packedSize, packed: () => packedOf(number) })
      pieces.push({ sha: digest, crc: 0, offset: index * MIB, cb_original: MIB, cb_compressed: packedSize })
    }
    const entry = entryOf({ path: `Content/huge-${first}.xnb` }, Buffer.alloc(0), pieces, key)
    entries.push({ ...entry, size: count * MIB })
  }
  const manifestId = String(depotId)
  const manifest = packManifest({ depotId, manifestId, namesEncrypted: true, entries })
  return { depotId, manifestId, key, manifest, chunks, files: [] }
}
