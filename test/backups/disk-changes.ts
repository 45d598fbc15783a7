/** Calls a test before every change of the disk, so that it can kill the process or fill the disk there. */
import fs, { type PathLike } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'

export interface DiskChange {
  readonly what: 'make' | 'write' | 'sync' | 'rename' | 'remove' | 'folder'
  readonly file: string
}

/** If a visitor throws it, it is the error of the file system, as of a full disk. */
export const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })

/**
 * Calls `visit` before each call of the functions of `node:fs` with which farmgate changes the disk. @param visit makes
 * the change fail by throwing @returns a function that ends it
 */
export function beforeEachDiskChange(visit: (change: DiskChange) => void): () => void {
  const { promises } = fs
  const whole = {
    rename: promises.rename,
    rm: promises.rm,
    rmdir: promises.rmdir,
    unlink: promises.unlink,
    mkdir: promises.mkdir,
  }
  const [openPromise, open, write, writev] = [promises.open, fs.open, fs.write, fs.writev]
  const name = (path: PathLike) =>
    basename(String(path))
      .replace(/^\.making-.*/, 'unfinished archive')
      .replace(/^Clover-y.*\.zip$/, 'archive')
  const names = new Map<number, string>()

  promises.rename = async (from, to) => {
    visit({ what: 'rename', file: name(to) })
    return whole.rename(from, to)
  }
  promises.unlink = async (path) => {
    // This cannot remove a folder, and nothing changes where nothing exists.
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return whole.unlink(path)
    visit({ what: 'remove', file: name(path) })
    return whole.unlink(path)
  }
  promises.rmdir = async (path) => {
    visit({ what: 'remove', file: name(path) })
    return whole.rmdir(path)
  }
  promises.rm = async (path, options) => {
    if (!fs.existsSync(path)) return whole.rm(path, options)
    visit({ what: 'remove', file: name(path) })
    return whole.rm(path, options)
  }
  Object.assign(promises, {
    async mkdir(...given: Parameters<typeof whole.mkdir>) {
      if (!fs.existsSync(given[0])) visit({ what: 'folder', file: name(given[0]) })
      return whole.mkdir(...given)
    },
    async open(...given: Parameters<typeof openPromise>) {
      const [path, flags = 'r'] = given
      if (isMaking(flags)) visit({ what: 'make', file: name(path) })
      return watched(await openPromise(...given), name(path), visit)
    },
  })
  Object.assign(fs, {
    open(
      path: PathLike,
      flags: string,
      ...rest: [mode: number, done: (error: unknown, fd?: number) => void]
    ) {
      const [mode, done] = rest
      failing(
        () => (flags.startsWith('w') ? visit({ what: 'make', file: name(path) }) : undefined),
        done,
        () =>
          open(path, flags, mode, (error, fd) => {
            if (error === null) names.set(fd, name(path))
            done(error, fd)
          }),
      )
    },
    write: (fd: number, ...rest: [...unknown[], (error: unknown) => void]) =>
      failing(
        () => visit({ what: 'write', file: names.get(fd) ?? '' }),
        rest.at(-1),
        () => Reflect.apply(write, fs, [fd, ...rest]),
      ),
    writev: (fd: number, ...rest: [...unknown[], (error: unknown) => void]) =>
      failing(
        () => visit({ what: 'write', file: names.get(fd) ?? '' }),
        rest.at(-1),
        () => Reflect.apply(writev, fs, [fd, ...rest]),
      ),
  })
  syncBuiltinESMExports()
  return () => {
    Object.assign(promises, whole, { open: openPromise })
    Object.assign(fs, { open, write, writev })
    syncBuiltinESMExports()
  }
}

/**
 * From a change of the disk on nothing changes it any more: what stands then is what a process leaves that is killed
 * before that change.
 * @param at the number of the change, from 1 @param isFirst where the counting begins
 * @returns whether the change was reached, and a function that ends it
 */
export function killedBefore(at: number, isFirst: (change: DiskChange) => boolean = () => true) {
  let count = 0
  const end = beforeEachDiskChange((change) => {
    if (change.what === 'sync' || (count === 0 && !isFirst(change))) return
    count += 1
    if (count >= at) throw new Error('the process is killed')
  })
  return { wasReached: () => count >= at, end }
}

/** Whether a file is made by opening it with these flags. */
const isMaking = (flags: string | number) =>
  typeof flags === 'string' ? flags.startsWith('w') : (flags & fs.constants.O_CREAT) !== 0

function watched(file: FileHandle, name: string, visit: (change: DiskChange) => void): FileHandle {
  const [write, sync] = [file.write.bind(file), file.sync.bind(file)]
  return Object.assign(file, {
    async write(...given: Parameters<typeof write>) {
      visit({ what: 'write', file: name })
      return write(...given)
    },
    async sync() {
      visit({ what: 'sync', file: name })
      return sync()
    },
  })
}

function failing(visit: () => void, done: unknown, go: () => void): void {
  try {
    visit()
  } catch (error) {
    if (typeof done === 'function') done(error)
    return
  }
  go()
}
