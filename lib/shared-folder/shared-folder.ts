/**
 * The only way for a process with an event loop to the files of a folder that another program shares (`access.ts`): no
 * call follows a link below the folder, waits for another program, or leaves the folder. Folders are opened one by
 * one, each under the open one above it, and remain those folders whatever replaces them later.
 */
import type { BigIntStats, Dirent, OpenDirOptions } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, opendir, rename } from 'node:fs/promises'
import { cannotSyncFolder } from '../atomic-file.ts'
import { errorCode } from '../error-code.ts'
import { asFolder, fileFlags, fileProblem, isMissing, NotRegular, openError, split } from './access.ts'
import { looked, opened, type Place, placeBelow, topPlace } from './place.ts'
import { mostRemoved, removeEntry } from './remove-entry.ts'

/** One entry of a folder. */
export interface Entry {
  /** Names that are not UTF-8 have U+FFFD in it. */
  readonly name: string
  /** The name as it is on the disk. */
  readonly raw: Buffer
  readonly kind: 'file' | 'folder' | 'link' | 'special'
}

/** A file to open must be this one: another program may have replaced it since the last look. */
export type Expected = Pick<BigIntStats, 'dev' | 'ino'>

/** Relative, with `/`; or a name as it is on the disk, in this folder or in one below it. */
type Path = string | Buffer | readonly [folder: string, name: Buffer]

export interface SharedFolder {
  /** @returns what is at a path; undefined when there is nothing, or when the path above it is not a folder */
  status(path: Path): Promise<BigIntStats | undefined>
  /** @returns what this folder itself is */
  own(): Promise<BigIntStats>
  /** Opens this folder itself, to change its rights and flush it. */
  openSelf(): Promise<FileHandle>
  /** Whether this process may do with the folder itself what the mode of `access` says. */
  allows(mode: number): Promise<boolean>
  /** Its entries, as they come. */
  entries(): AsyncGenerator<Entry, void>
  /** Opens a folder for one action. @throws {NotAFolder} @throws the error of the file system */
  within<Result>(path: string | Buffer, action: (folder: SharedFolder) => Promise<Result>): Promise<Result>
  /**
   * Opens a regular file: to `read`, or to `write` or change one that has no other name. `new` creates it with the mode
   * 0666 less the umask. @throws {NotRegular} for something else, and for another file than the expected one
   */
  open(path: Path, how: 'read' | 'write' | 'new', expected?: Expected): Promise<FileHandle>
  /**
   * Reads a small file.
   * @param limit bytes, after which the content is cut
   * @returns undefined when there is none
   * @throws {NotRegular}
   */
  read(path: string, limit: number): Promise<Buffer | undefined>
  /** Replaces a file: after a crash or a power cut it has the old or the new content. @param temporary its name until then */
  write(path: string, temporary: string, content: string): Promise<void>
  /** Makes the folders of a path that are missing. @throws {NotAFolder} */
  makeFolder(path: string): Promise<void>
  /** Makes one folder where nothing is. @param mode its rights, less the umask */
  makeNew(path: string, mode: number): Promise<void>
  /** Neither is followed where it is a link. @param into the folder of `to`, on the same file system; this one unless given */
  rename(from: Path, to: Path, into?: Pick<SharedFolder, 'at'>): Promise<void>
  /** Runs an action with the address of a path for calls of `node:fs`; the folder that contains it stays open meanwhile. */
  at<Result>(path: Path, action: (address: string | Buffer) => Promise<Result>): Promise<Result>
  /** Removes a file, a link, or a folder with its content; a missing one is not an error. */
  remove(path: Path): Promise<void>
  /** Makes the entries of this folder durable where the file system can. */
  sync(): Promise<void>
}

/** A folder as this module needs it. */
interface OpenFolder extends SharedFolder {
  /** The address of an entry, for calls of `node:fs`. */
  address(name: string | Buffer): Promise<string | Buffer>
  /** As `within`, for one name. */
  step<Result>(name: string | Buffer, action: (folder: OpenFolder) => Promise<Result>): Promise<Result>
}

/** Names as bytes, which Node gives and its types lack. */
const rawNames = Object.assign<OpenDirOptions, object>({}, { encoding: 'buffer' })
/** Numbers of files and times in nanoseconds do not fit into a double. */
const whole = { bigint: true } as const
/** Milliseconds of one look. A disk that does not answer for so long, such as a network disk, is an error. */
const usualLimit = 30_000
/** Maximum depth of folders in a path. Each takes a file descriptor. */
const deepest = 64

/**
 * Opens a folder for one action. Its own path was chosen by the operator, so links in that path are followed.
 * @param limit milliseconds that one look may take
 * @throws the error of the file system; `ETIMEDOUT` when a look took too long
 */
export async function inSharedFolder<Result>(
  path: string,
  action: (folder: SharedFolder) => Promise<Result>,
  limit = usualLimit,
): Promise<Result> {
  await using place = await topPlace(path, limit)
  return await action(openFolder(place, limit, 0))
}

function openFolder(place: Place, limit: number, depth: number): OpenFolder {
  const look = <Answer>(answer: Promise<Answer>) => looked(limit, answer)
  const folder: OpenFolder = {
    async address(name) {
      const own = await place.address()
      return typeof name === 'string' ? `${own}/${name}` : Buffer.concat([Buffer.from(`${own}/`), name])
    },
    async step(name, action) {
      if (depth === deepest) throw tooDeep()
      await using below = await placeBelow(place, await folder.address(name), limit)
      return await action(openFolder(below, limit, depth + 1))
    },
    within: (path, action) => descend(folder, path, action),
    status: (path) => withAddress(folder, path, (address) => look(lstat(address, whole))).catch(asMissing),
    own: async () => look(place.handle?.stat(whole) ?? lstat(await place.address(), whole)),
    openSelf: async () => opened(open(await place.address(), asFolder), limit),
    allows: async (mode) =>
      look(access(await place.address(), mode)).then(
        () => true,
        () => false,
      ),
    async *entries() {
      const listing = await opened(opendir(await place.address(), rawNames), limit)
      try {
        for (;;) {
          const entry = await look(listing.read())
          if (entry === null) return
          const raw = Buffer.from(entry.name)
          yield { name: raw.toString(), raw, kind: kindOf(entry) }
        }
      } finally {
        await listing.close()
      }
    },
    open: (path, how, expected) =>
      withAddress(folder, path, async (address) => {
        const file = await opened(open(address, fileFlags[how], 0o666), limit).catch((error: unknown) => {
          throw openError(error)
        })
        try {
          const found = await look(file.stat(whole))
          const problem = fileProblem(found, how) ?? changeOf(found, expected)
          if (problem !== undefined) throw problem
          return file
        } catch (error) {
          await file.close()
          throw error
        }
      }),
    async read(path, most) {
      await using file = await folder.open(path, 'read').catch(asMissing)
      if (file === undefined) return undefined
      const content = Buffer.alloc(Math.min((await look(file.stat())).size, most))
      return content.subarray(0, await fill(file, content, look))
    },
    async write(path, temporary, content) {
      await folder.remove(temporary)
      {
        await using file = await folder.open(temporary, 'new')
        await writeAll(file, Buffer.from(content))
        await file.sync()
      }
      await folder.rename(temporary, path)
      await folder.sync()
    },
    async makeFolder(path) {
      const [name = '', ...rest] = path.split('/')
      await folder.makeNew(name, 0o777).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error
      })
      // Throws when something else is there.
      await folder.within(name, async (below) => {
        if (rest.length > 0) await below.makeFolder(rest.join('/'))
      })
    },
    makeNew: (path, mode) =>
      withAddress(folder, path, async (address) => void (await mkdir(address, { mode }))),
    rename: (from, to, into = folder) =>
      folder.at(from, (old) => into.at(to, (address) => rename(old, address))),
    at: (path, action) => withAddress(folder, path, action),
    async remove(path) {
      const left = { count: mostRemoved }
      const [above, name] = partsOf(path)
      if (above === '') return removeEntry(folder, name, left)
      return descend(folder, above, (parent) => removeEntry(parent, name, left)).catch(asMissing)
    },
    async sync() {
      try {
        await place.handle?.sync()
      } catch (error) {
        if (!cannotSyncFolder(error)) throw error
      }
    },
  }
  return folder
}

/** Opens the folders of a path, each in the one before. */
function descend<Result>(
  folder: OpenFolder,
  path: string | Buffer,
  action: (folder: OpenFolder) => Promise<Result>,
): Promise<Result> {
  if (typeof path !== 'string') return folder.step(path, action)
  const [name = '', ...rest] = path.split('/')
  // Refuses an invalid name.
  split(name)
  return folder.step(name, (below) =>
    rest.length === 0 ? action(below) : descend(below, rest.join('/'), action),
  )
}

/** @returns the folder above a path, and its last name */
function partsOf(path: Path): readonly [folder: string, name: string | Buffer] {
  if (typeof path === 'string') return split(path)
  return 'buffer' in path ? ['', path] : path
}

/** Runs an action with the address of a path; the folder that contains it stays open meanwhile. */
async function withAddress<Result>(
  folder: OpenFolder,
  path: Path,
  action: (address: string | Buffer) => Promise<Result>,
): Promise<Result> {
  const [above, name] = partsOf(path)
  return above === ''
    ? action(await folder.address(name))
    : descend(folder, above, async (parent) => action(await parent.address(name)))
}

const kindOf = (entry: Dirent): Entry['kind'] => {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'special'
}

const changeOf = (found: Expected, expected: Expected | undefined): NotRegular | undefined =>
  expected === undefined || (found.dev === expected.dev && found.ino === expected.ino)
    ? undefined
    : new NotRegular('another file than a moment ago')

const tooDeep = () =>
  Object.assign(new Error(`ENAMETOOLONG: more than ${deepest} folders within each other`), {
    code: 'ENAMETOOLONG',
  })

function asMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

type Look = <Answer>(answer: Promise<Answer>) => Promise<Answer>

/** A disk can return less than requested. @returns how many bytes were read, fewer only at the end of the file */
async function fill(file: FileHandle, into: Buffer, look: Look): Promise<number> {
  let at = 0
  while (at < into.length) {
    const { bytesRead } = await look(file.read(into, at, into.length - at, at))
    if (bytesRead === 0) break
    at += bytesRead
  }
  return at
}

/** Writes all bytes after the last write. */
export async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}
