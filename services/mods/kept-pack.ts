/** The pack, made once for each state of the mods and kept as a file. */
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { FarmError } from '../../handlers/farm-error.ts'
import type { SentFile } from '../../handlers/stream.ts'
import { errorCode } from '../../lib/error-code.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { inThread } from '../../lib/threads.ts'
import { errorsApart } from '../archives/apart-errors.ts'
import { type PackedFile, type PackedMod, packedFiles } from './pack.ts'
import type { PackCalls } from './pack-calls.ts'

interface KeptPackParts {
  /** Made when it is missing; only this process uses it. */
  readonly folder: string
  /** `MODS_DIR` */
  readonly dir: string
  readonly mods: () => Promise<readonly PackedMod[]>
  /** Bytes that fit on a folder's disk above its reserve of free space. */
  readonly room: (folder: string) => Promise<number>
}

/** Of one file in the zip, in addition to its content. */
const perFile = 1024
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 }
/** Another form of the zip needs another number, so that a kept one is not taken for it. */
const form = 1

export function keptPack({ folder, dir, mods, room }: KeptPackParts) {
  const inTurn = oneAtATime().run

  const write = async (path: string, packed: readonly PackedMod[], files: readonly PackedFile[]) => {
    const most = files.reduce((sum, { bytes }) => sum + bytes + perFile, perFile)
    if ((await room(folder)) < most)
      throw new FarmError({
        kind: 'disk_low',
        what: 'The zip of the mods was not made: the disk with DATA_DIR',
      })
    await rm(path, { force: true })
    return inThread<PackCalls, object, string>(
      new Worker(new URL(`./pack-thread${extname(import.meta.url)}`, import.meta.url), { resourceLimits }),
      {
        functions: {},
        errors: errorsApart(),
        lost: (cause) => cause ?? new Error('the thread of the pack has ended'),
      },
      (calls) => calls.write(path, dir, packed, files),
    )
  }
  /** @returns the name of the file: the state of the mods, and the digest of the zip */
  const make = async (): Promise<string> => {
    const packed = await mods()
    const files = await packedFiles(dir, packed)
    const state = createHash('sha256')
      .update(JSON.stringify([form, packed, files]))
      .digest('hex')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const names = await readdir(folder)
    const known = names.find((name) => name.startsWith(state) && name.endsWith('.zip'))
    if (known !== undefined) return known
    const partial = join(folder, 'unfinished')
    const made = `${state}-${await write(partial, packed, files)}.zip`
    await rename(partial, join(folder, made))
    // A download that has one of these open continues.
    for (const name of names) await rm(join(folder, name), { force: true })
    return made
  }
  let next: Promise<string> | undefined
  /** Callers share a look that has not begun: one that has might not see the change of a mod that they have seen. */
  const newest = () => {
    next ??= inTurn(() => {
      next = undefined
      return make()
    })
    return next
  }

  return {
    /** @throws {FarmError} disk_low; the error of the file system */
    async open(): Promise<SentFile> {
      for (let isAgain = false; ; isAgain = true) {
        const name = await newest()
        try {
          return await sentFile(await open(join(folder, name), 'r'), name)
        } catch (error) {
          // A newer one has replaced it since.
          if (isAgain || errorCode(error) !== 'ENOENT') throw error
        }
      }
    },
  }
}

async function sentFile(file: FileHandle, name: string): Promise<SentFile> {
  const { size } = await file.stat()
  return {
    bytes: size,
    tag: name.slice(65, 97),
    async read(from, length) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from)
      return buffer.subarray(0, bytesRead)
    },
    close: () => file.close(),
  }
}
