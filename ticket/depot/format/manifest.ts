import type { KeyObject } from 'node:crypto'
import { checkTree, type ManifestCheck, manifestCheck } from './check-manifest.ts'
import { decrypt } from './decrypt.ts'
import type { Chunk, DepotFile } from './depot-file.ts'
import { fields } from './protobuf.ts'
import { safeLinkTarget, safePath } from './safe-path.ts'
import { unpackChecked } from './unpack.ts'

export interface Manifest {
  readonly depotId: number
  /** Decimal uint64. */
  readonly manifestId: string
  readonly files: readonly DepotFile[]
}

const payloadMagic = 0x71f617d0
const metadataMagic = 0x1f4812be
const signatureMagic = 0x1b81b817
const endMagic = 0x32c415ab

const shaBytes = 20
const executableFlags = 32 | 128
const directoryFlag = 64
const linkFlag = 512

/** Bounds the memory for a hostile manifest. */
const maxManifestBytes = 64 * 2 ** 20

/**
 * Reads a manifest as a content server sends it: protobuf sections in a zip or LZMA container.
 * @param key depot key that decrypts the file names
 * @throws DownloadError `manifest` for a hostile or inconsistent manifest, Error for damaged bytes
 */
export function readManifest(packed: Buffer, key: KeyObject): Manifest {
  const plain = unpackChecked(packed, maxManifestBytes)
  let payload: Buffer | undefined
  let metadata: Buffer | undefined
  for (let at = 0; at + 4 <= plain.length; ) {
    const magic = plain.readUInt32LE(at)
    if (magic === endMagic) break
    const length = plain.readUInt32LE(at + 4)
    const section = plain.subarray(at + 8, at + 8 + length)
    if (section.length !== length) throw new Error('manifest ends early')
    if (magic === payloadMagic) payload = section
    else if (magic === metadataMagic) metadata = section
    else if (magic !== signatureMagic) throw new Error('unknown manifest section')
    at += 8 + length
  }
  if (payload === undefined || metadata === undefined) throw new Error('manifest without content')
  const { depotId, manifestId, encrypted } = readMetadata(metadata)
  const name = (raw: Buffer): string => (encrypted ? decryptName(raw, key) : raw.toString('utf8'))
  const files: DepotFile[] = []
  const check = manifestCheck()
  for (const field of fields(payload)) {
    if (field.id !== 1) continue
    check.entry()
    files.push(readFile(field.bytes, name, check))
  }
  checkTree(files)
  return { depotId, manifestId, files }
}

function readMetadata(section: Buffer): { depotId: number; manifestId: string; encrypted: boolean } {
  let depotId = 0
  let manifestId = '0'
  let encrypted = false
  for (const field of fields(section)) {
    if (field.id === 1) depotId = Number(field.number)
    if (field.id === 2) manifestId = String(field.number)
    if (field.id === 4) encrypted = field.number !== 0n
  }
  return { depotId, manifestId, encrypted }
}

/** Decrypts a file name: base64 of the encrypted name, which ends with a NUL. */
function decryptName(raw: Buffer, key: KeyObject): string {
  const plain = decrypt(Buffer.from(raw.toString('latin1'), 'base64'), key)
  return plain.toString('utf8').replace(/\0$/, '')
}

function readFile(message: Buffer, name: (raw: Buffer) => string, check: ManifestCheck): DepotFile {
  let path = ''
  let size = 0
  let flags = 0
  let sha = ''
  let target = ''
  const chunks: Chunk[] = []
  for (const field of fields(message)) {
    if (field.id === 1) path = name(field.bytes)
    if (field.id === 2) size = Number(field.number)
    if (field.id === 3) flags = Number(field.number)
    if (field.id === 5) sha = field.bytes.toString('hex', 0, shaBytes)
    if (field.id === 6) {
      check.chunk()
      chunks.push(readChunk(field.bytes))
    }
    if (field.id === 7 && field.bytes.length > 0) target = name(field.bytes)
  }
  path = safePath(path)
  const kind = flags & directoryFlag ? 'directory' : flags & linkFlag ? 'link' : 'file'
  if (kind === 'link') target = safeLinkTarget(path, target)
  chunks.sort((a, b) => a.offset - b.offset)
  if (kind === 'file') check.file(path, size, chunks)
  return {
    path,
    kind,
    size: kind === 'file' ? size : 0,
    sha,
    executable: (flags & executableFlags) !== 0,
    target,
    // A copy has no room for further members, which would be held for each of many small files.
    chunks: kind === 'file' ? [...chunks] : [],
  }
}

function readChunk(message: Buffer): Chunk {
  let sha = ''
  let offset = 0
  let size = 0
  let packed = 0
  for (const field of fields(message)) {
    if (field.id === 1 && field.bytes.length === shaBytes) sha = field.bytes.toString('hex')
    if (field.id === 3) offset = Number(field.number)
    if (field.id === 4) size = Number(field.number)
    if (field.id === 5) packed = Number(field.number)
  }
  return { sha, offset, size, packed }
}
