import { crc32 } from 'node:zlib'
import {
  entryOf,
  type FileSpec,
  makeDepot,
  packManifest,
  type StandInDepot,
} from '../../test/platform/depots.ts'
import { encrypt, type Format, sha1, zip } from '../../test/platform/pack.ts'
import { seededBytes } from '../../test/platform/seeded.ts'

const MIB = 2 ** 20

/**
 * A depot as a game has it, `megabytes` in all, in one container: for every 70 MiB four large files and 150 small
 * ones of 8 to 75 kB.
 */
export function gameDepot(format: Format, megabytes: number, depotId: number): StandInDepot {
  const small = Math.round((megabytes / 70) * 150)
  const large = Math.max(4, Math.round((megabytes / 70) * 4))
  // One pool of seeded data, cut at shifting places: making every byte anew would take longer than the measurement.
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
 * A depot of any size that is never held in memory: each chunk is one buffer with its number stamped in, stored
 * in a zip when it is asked for.
 */
export function hugeDepot(megabytes: number, depotId: number): StandInDepot {
  const key = seededBytes(depotId, 32)
  const base = seededBytes(depotId, MIB)
  const plainOf = (number: number): Buffer => {
    const plain = Buffer.from(base)
    plain.writeUInt32LE(number, 0)
    return plain
  }
  const packedOf = (number: number): Buffer => {
    const plain = plainOf(number)
    return encrypt(zip(plain, 0, crc32(plain), plain.length), key)
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
      const digest = sha1(plainOf(number))
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
