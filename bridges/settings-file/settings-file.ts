/** Reads `server-settings.json` and replaces it atomically. */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FarmError, noSettingsFile } from '../../handlers/farm-error.ts'
import { type AtomicFileSystem, openAtomicFile } from '../../lib/atomic-file.ts'
import { errorCode } from '../../lib/error-code.ts'

/** Maximum of bytes; the game's own file has a few hundred. */
const maxBytes = 1024 * 1024

/** A parameter, so that tests can use a full or failing disk. */
export interface SettingsFileSystem extends AtomicFileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<FileHandle>
}

/** @throws {FarmError} settings_file, unsupported */
export async function readSettingsFile(path: string, fs: SettingsFileSystem = { open, rename, unlink }) {
  const before = await readWhole(path, fs).catch(asFailure)
  // Its name begins with a dot, so that no program takes what a killed process leaves for settings.
  const temporary = join(dirname(path), `.${basename(path)}.farmgate`)
  const { mode, uid, gid } = before.stats
  const openNew = () =>
    openAtomicFile(path, { temporary, mode: mode & 0o777, owner: { uid, gid }, fs }).catch(asFailure)
  return {
    text: before.text,
    /** Changes nothing. @throws {FarmError} settings_file, unsupported: it cannot be replaced */
    checkWritable: async () => (await openNew()).release(),
    /**
     * Replaces the whole file.
     * @throws {FarmError} settings_changed when the file has changed since it was read; settings_file, unsupported
     */
    async replace(text: string) {
      const file = await openNew()
      const now = await readWhole(path, fs).catch(() => undefined)
      if (now === undefined || now.text !== before.text || now.stats.ino !== before.stats.ino) {
        await file.release()
        throw new FarmError({ kind: 'settings_changed' })
      }
      await file.commit(text).catch(asFailure)
    },
  }
}

async function readWhole(path: string, fs: SettingsFileSystem): Promise<{ text: string; stats: Stats }> {
  // Not through a link, which could name any file of this machine; and without waiting for the other end of a pipe.
  await using file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stats = await file.stat()
  if (!stats.isFile()) throw unusable('is not a file')
  const bytes = await atMost(file, maxBytes + 1)
  if (bytes.length > maxBytes) throw unusable(`is larger than ${maxBytes} bytes`)
  return { text: utf8(bytes), stats }
}

/** Ends for a file that grows during the read. */
async function atMost(file: FileHandle, size: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw unusable('is not UTF-8')
  }
}

const unusable = (sentence: string) =>
  new FarmError({ kind: 'settings_file', sentence: `The settings file ${sentence}; nothing was changed` })

const readOnly = 'cannot be written: mount its folder without :ro, writable for the user of farmgate'
const alone = 'is mounted alone and cannot be replaced: mount its folder'
const full = 'cannot be written: the disk is full'

const sentences: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link: name the file itself in SETTINGS_PATH',
  EISDIR: 'is a folder',
  EACCES: 'cannot be used: give the user of farmgate the right to read it and to write in its folder',
  EPERM: readOnly,
  EROFS: readOnly,
  EBUSY: alone,
  EXDEV: alone,
  ENOSPC: full,
  EDQUOT: full,
}

/** @throws {FarmError} the meaning of an error of the file system for the caller; any other error as it is */
function asFailure(error: unknown): never {
  const code = errorCode(error) ?? ''
  if (code === 'ENOENT' || code === 'ENOTDIR') throw new FarmError(noSettingsFile)
  const sentence = sentences[code]
  throw sentence === undefined ? error : unusable(sentence)
}
