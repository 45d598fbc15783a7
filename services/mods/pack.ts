/** The mods that players need, as a zip that is made while it is sent. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { byteStream } from '../../lib/byte-stream.ts'
import { inSharedFolder, type SharedFolder } from '../../lib/shared-folder/shared-folder.ts'
import { piecesOf } from '../archives/file-pieces.ts'

export interface PackedMod {
  readonly folder: string
  readonly name: string
  /** No operator has said who needs it. */
  readonly isUnknown: boolean
}

const most = { files: 20_000, bytes: 1024 ** 3 } as const
/** Of a file on its way through the zip. */
const buffers = 8
const fileOptions = (mtime: Date) => ({ mtime, mode: 0o100644 })

/**
 * @param dir `MODS_DIR` @param now of the files that farmgate adds
 * @returns the zip; it fails while it is read when a file vanishes
 * @throws the error of the file system
 */
export async function packOf(
  dir: string,
  mods: readonly PackedMod[],
  now: Date,
): Promise<ReadableStream<Uint8Array>> {
  const left = { ...most }
  const paths: string[] = []
  await inSharedFolder(dir, async (top) => {
    for (const { folder } of mods) await top.within(folder, (opened) => list(opened, folder, paths, left))
  })
  const zip = new ZipFile()
  const sums: string[] = []
  let reading: Readable | undefined
  const add = (path: string, content: () => AsyncGenerator<Buffer, void>) =>
    zip.addReadStreamLazy(path, fileOptions(now), (opened) => {
      reading = Readable.from(summed(content(), path, sums), { objectMode: false })
      // The zip does not listen to errors of its input.
      reading.on('error', (error) => output.destroy(error))
      opened(null, reading)
    })
  const output = zip.outputStream as Readable
  output.on('close', () => reading?.destroy())
  for (const path of paths) add(path, () => contentOf(dir, path))
  add('README.txt', async function* () {
    yield Buffer.from(words(mods))
  })
  add('SHA256SUMS', async function* () {
    yield Buffer.from(sums.join(''))
  })
  zip.end()
  // Before the first read no one else listens. The reader gets the error too.
  output.on('error', () => undefined)
  return byteStream(output)
}

/** The settings of a mod on the server can hold secrets, and are not those of a player. */
async function list(
  opened: SharedFolder,
  path: string,
  paths: string[],
  left: { files: number; bytes: number },
  isTop = true,
): Promise<void> {
  const folders: string[] = []
  for await (const { name, kind } of opened.entries()) {
    if (name.startsWith('.') || /[\p{Cc}\\\uFFFD]/u.test(name)) continue
    if (kind === 'folder') folders.push(name)
    if (kind !== 'file' || (isTop && name.toLowerCase() === 'config.json')) continue
    left.files -= 1
    left.bytes -= Number((await opened.status(name))?.size ?? 0)
    if (left.files < 0 || left.bytes < 0)
      throw Object.assign(new Error('EFBIG: too much for a pack'), { code: 'EFBIG' })
    paths.push(`${path}/${name}`)
  }
  for (const name of folders)
    await opened.within(name, (below) => list(below, `${path}/${name}`, paths, left, false))
}

async function* contentOf(dir: string, path: string): AsyncGenerator<Buffer, void> {
  await using file = await inSharedFolder(dir, (top) => top.open(path, 'read'))
  yield* piecesOf(file, buffers)
}

async function* summed(
  content: AsyncGenerator<Buffer, void>,
  path: string,
  sums: string[],
): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  for await (const piece of content) {
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
