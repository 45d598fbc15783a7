/** The mods that players need, as a zip. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { inSharedFolder, type SharedFolder, writeAll } from '../../lib/shared-folder/shared-folder.ts'
import { piecesOf } from '../archives/file-pieces.ts'
import { textEntry, writeZip } from './write-zip.ts'

export interface PackedMod {
  readonly folder: string
  readonly name: string
  /** No operator has said who needs it. */
  readonly isUnknown: boolean
}

export interface PackedFile {
  /** Below `MODS_DIR`. */
  readonly path: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
  /** Distinguishes its states, also where something set `changedAt` back. */
  readonly state: string
}

const most = { files: 20_000, bytes: 1024 ** 3 } as const

/** @param dir `MODS_DIR` @returns what belongs into the pack @throws the error of the file system */
export async function packedFiles(dir: string, mods: readonly PackedMod[]): Promise<readonly PackedFile[]> {
  const left = { ...most }
  const files: PackedFile[] = []
  await inSharedFolder(dir, async (top) => {
    for (const { folder } of mods) await top.within(folder, (opened) => list(opened, folder, files, left))
  })
  return files
}

/** The settings of a mod on the server can hold secrets, and are not those of a player. */
async function list(
  opened: SharedFolder,
  path: string,
  files: PackedFile[],
  left: { files: number; bytes: number },
  isTop = true,
): Promise<void> {
  const folders: string[] = []
  for await (const { name, kind } of opened.entries()) {
    if (name.startsWith('.') || /[\p{Cc}\\\uFFFD]/u.test(name)) continue
    if (kind === 'folder') folders.push(name)
    if (kind !== 'file' || (isTop && name.toLowerCase() === 'config.json')) continue
    const status = await opened.status(name)
    if (status === undefined) continue
    const { size, mtimeNs, ctimeNs, ino } = status
    left.files -= 1
    left.bytes -= Number(size)
    if (left.files < 0 || left.bytes < 0)
      throw Object.assign(new Error('EFBIG: too much for a pack'), { code: 'EFBIG' })
    files.push({
      path: `${path}/${name}`,
      bytes: Number(size),
      changedAt: Number(mtimeNs / 1_000_000n),
      state: [mtimeNs, ctimeNs, ino].join(' '),
    })
  }
  for (const name of folders)
    await opened.within(name, (below) => list(below, `${path}/${name}`, files, left, false))
}

/**
 * Writes the zip to a new file and flushes it to the disk. The same mods make the same bytes.
 * @returns the SHA-256 of its bytes, as hex
 * @throws the error of the file system, such as that of a file that has vanished; the zip may then exist in part
 */
export async function writePack(
  path: string,
  dir: string,
  mods: readonly PackedMod[],
  files: readonly PackedFile[],
): Promise<string> {
  const sums: string[] = []
  const newest = files.reduce((newest, { changedAt }) => Math.max(newest, changedAt), 0)
  await using file = await open(path, 'wx', 0o600)
  const whole = createHash('sha256')
  const entries = [
    ...files.map(({ path, changedAt }) => ({ path, changedAt, content: () => summed(dir, path, sums) })),
    textEntry('README.txt', newest, () => words(mods)),
    textEntry('SHA256SUMS', newest, () => sums.join('')),
  ]
  await writeZip(entries, async (bytes) => {
    whole.update(bytes)
    await writeAll(file, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  })
  await file.sync()
  return whole.digest('hex')
}

async function* summed(dir: string, path: string, sums: string[]): AsyncGenerator<Buffer, void> {
  await using file = await inSharedFolder(dir, (top) => top.open(path, 'read'))
  const hash = createHash('sha256')
  for await (const piece of piecesOf(file)) {
    hash.update(piece)
    yield piece
  }
  sums.push(`${hash.digest('hex')}  ${path}\n`)
}

function words(mods: readonly PackedMod[]): string {
  const unknown = mods.filter(({ isUnknown }) => isUnknown)
  return [
    'The mods for players of this farm. Unpack this file into the folder Mods of your game, with SMAPI installed.',
    'SHA256SUMS has the checksum of each file. Settings (config.json) are not in it: each mod makes its own.',
    ...(unknown.length === 0
      ? []
      : [
          "The farm's operator has not said whether players need these mods; they are in it in case they do:",
          ...unknown.map(({ name }) => `- ${name}`),
        ]),
    '',
  ].join('\n')
}
