/** Copies an archive off-site and reads the copy back. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { errorCode } from '../../lib/error-code.ts'
import type { ageFile } from '../archives/age-file.ts'
import { CopyError, type CopyStore } from './copy-store.ts'

/** Loaded with the first copy, because the library would take 8 MB and up to a tenth of a second of each start. */
const encrypted: typeof ageFile = async (...file) =>
  (await import('../archives/age-file.ts')).ageFile(...file)

/** The names that the copy of a backup can have: without and with a passphrase. */
export const copyNames = (id: string): readonly [plain: string, encrypted: string] => [
  `${id}.zip`,
  `${id}.zip.age`,
]

export const copyName = (id: string, passphrase: string | undefined): string =>
  copyNames(id)[passphrase === undefined ? 0 : 1]

/**
 * Returns when the copy was read back and has the SHA-256 of what was sent. Memory does not grow with the archive.
 * @param name of the copy
 * @param path of the archive on this disk
 * @throws {CopyError}
 */
export async function copyOffsite(
  store: CopyStore,
  name: string,
  path: string,
  passphrase: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { size } = await stat(path).catch(unreadable)
  const plain = { bytes: size, content: contentOf(path) }
  const { bytes, content } =
    passphrase === undefined ? plain : await encrypted(plain.content, size, passphrase)
  const sent = createHash('sha256')
  await store.write(name, bytes, digested(content, sent), signal)
  const found = createHash('sha256')
  let read = 0
  for await (const chunk of store.read(name, bytes, signal)) {
    read += chunk.length
    if (read > bytes) break
    found.update(chunk)
  }
  if (read !== bytes || !found.digest().equals(sent.digest()))
    throw new CopyError('what was read back is not what was sent')
}

async function* contentOf(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    unreadable(error)
  }
}

function unreadable(error: unknown): never {
  const code = errorCode(error) ?? 'unknown cause'
  throw new CopyError(`the archive cannot be read (${code})`)
}

async function* digested(content: AsyncIterable<Uint8Array>, digest: ReturnType<typeof createHash>) {
  for await (const chunk of content) {
    digest.update(chunk)
    yield chunk
  }
}
