import { randomBytes } from 'node:crypto'
import * as real from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type AtomicFileSystem, openAtomicFile } from '../../lib/atomic-file.ts'
import { errorCode } from '../../lib/error-code.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { isUserName } from '../../lib/platform-user-name.ts'
import { readToken } from './token.ts'

/** The file system functions that a session file uses. Tests replace them to simulate a full or failing disk. */
export interface FileSystem
  extends AtomicFileSystem,
    Pick<typeof real, 'readFile' | 'stat' | 'readdir' | 'mkdir' | 'chmod'> {}

/** The real file system. */
export const disk: FileSystem = real

/** The content of a session file. */
export interface StoredSession {
  readonly username: string
  readonly refreshToken: string
  /** Steam's proof that a Steam Guard code was entered on this machine; with it a password sign-in needs no code. */
  readonly guardData: string | undefined
}

/** A session, or the reason why there is none, with a remedy where there is one. */
type LoadedSession =
  | {
      readonly session: StoredSession
      readonly problem: undefined
      /** Set when the session was imported from the existing sidecar. */
      readonly imported?: { readonly saveError: unknown }
    }
  | { readonly session: undefined; readonly problem: string; readonly missing: boolean }

/** The session files of one directory. */
export type SessionStore = ReturnType<typeof sessionStore>

const reservedBytes = 16_384
/** Maximum of bytes of a file; a session has some thousand. */
const maxBytes = 1024 * 1024
const staleAfter = 600_000
const sessionFileName = /^session-(.+)\.json$/

const schema = v.object({
  username: v.pipe(v.string(), v.check(isUserName)),
  refreshToken: v.pipe(v.string(), v.minLength(1)),
  guardData: v.pipe(
    v.nullish(v.string()),
    v.transform((text) => text ?? undefined),
  ),
})

/** @returns the session files of a directory. @param now milliseconds since 1970 */
export function sessionStore(directory: string, fs: FileSystem = disk, now: () => number = Date.now) {
  const path = (username: string) => {
    if (!isUserName(username)) throw new Error('an account name may hold no path')
    return join(directory, `session-${username}.json`)
  }

  const existing = (username: string) => join(directory, username, 'session.json')

  async function read(file: string, username: string): Promise<LoadedSession> {
    let text: string
    try {
      const { mode, size } = await fs.stat(file)
      if ((mode & 0o077) !== 0)
        return none(`${file} can be read by others. Fix it with: chmod 600 ${quote(file)}`)
      if (size > maxBytes) return none(`${file} is damaged: it holds no session. Sign in again`)
      text = await fs.readFile(file, 'utf8')
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR')
        return { session: undefined, problem: 'no saved session', missing: true }
      return none(`${file} cannot be read (${code ?? 'unknown error'})`)
    }
    return parse(text, file, username)
  }

  /** Loads an account's session; without an account, the most recent usable session of the directory. */
  async function load(username: string | undefined): Promise<LoadedSession> {
    if (username === undefined) return newest()
    const own = await read(path(username), username)
    return own.session || !own.missing ? own : importExisting(username, own)
  }

  /**
   * Imports `<username>/session.json` of the existing sidecar. Later loads read the imported copy. When the copy cannot
   * be saved, for instance because root owns the volume, the session is still returned, with the error.
   */
  async function importExisting(username: string, missing: LoadedSession): Promise<LoadedSession> {
    const file = existing(username)
    const { size } = await fs.stat(file).catch(() => ({ size: Number.NaN }))
    const text = size <= maxBytes ? await fs.readFile(file, 'utf8').catch(() => undefined) : undefined
    if (text === undefined) return missing
    const found = parse(text, file, username)
    if (!found.session) return found
    const saveError: unknown = await save(found.session).then(
      () => undefined,
      (error: unknown) => error,
    )
    // The existing sidecar writes it readable by everyone. It runs as root, so it can still read the file.
    if (saveError === undefined) await fs.chmod(file, 0o600).catch(() => undefined)
    return { ...found, imported: { saveError } }
  }

  async function newest(): Promise<LoadedSession> {
    const entries = await fs.readdir(directory).catch(() => [])
    const found: { session: LoadedSession; expired: boolean; changed: number }[] = []
    let problem: LoadedSession = { session: undefined, problem: 'no saved session', missing: true }
    for (const entry of entries) {
      const username = sessionFileName.exec(entry)?.[1] ?? entry
      if (!isUserName(username)) continue
      const session = await load(username)
      const claims = session.session ? readToken(session.session.refreshToken).claims : undefined
      if (claims) {
        const { mtimeMs } = await fs.stat(path(username)).catch(() => fs.stat(existing(username)))
        const expired = claims.expiresAt !== undefined && claims.expiresAt < now()
        found.push({ session, expired, changed: mtimeMs })
      } else if (!session.session && !session.missing) problem = session
    }
    // Sessions that are expired by the local clock come last. They are kept, because that clock may be wrong.
    found.sort((a, b) => Number(a.expired) - Number(b.expired) || b.changed - a.changed)
    return found[0]?.session ?? problem
  }

  /** Reserves disk space for a session, before Steam is asked for a new token and revokes the old one. */
  async function reserve(username: string) {
    // An existing folder keeps its mode: it may be a volume or be shared with other programs.
    await fs.mkdir(directory, { recursive: true, mode: 0o700 })
    await sweep(username)
    const temporary = join(directory, `.session-${username}.${randomBytes(6).toString('hex')}.tmp`)
    const file = await openAtomicFile(path(username), { temporary, mode: 0o600, reserve: reservedBytes, fs })
    return {
      release: file.release,
      /** Replaces the old session file atomically: after a crash it contains the old or the new session. */
      commit: (session: StoredSession): Promise<void> => file.commit(`${JSON.stringify(session)}\n`),
    }
  }

  /** Removes temporary files older than ten minutes, left by a process that was killed while writing. */
  async function sweep(username: string): Promise<void> {
    for (const entry of await fs.readdir(directory)) {
      if (!entry.startsWith(`.session-${username}.`) || !entry.endsWith('.tmp')) continue
      const left = join(directory, entry)
      const { mtimeMs } = await fs.stat(left).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (now() - mtimeMs > staleAfter) await fs.unlink(left).catch(() => undefined)
    }
  }

  async function save(session: StoredSession): Promise<void> {
    await (await reserve(session.username)).commit(session)
  }

  /**
   * @returns what is wrong with the mode of the folder, and the command that fixes it; undefined when it is right.
   * Anyone who may write a folder without the sticky bit may replace the files in it.
   */
  async function folderProblem(): Promise<string | undefined> {
    const { mode } = await fs.stat(directory).catch(() => ({ mode: 0 }))
    if ((mode & 0o1002) !== 0o0002) return undefined
    return `Everyone on this machine can replace the session in ${directory}. Fix it with: chmod o-w ${quote(directory)}`
  }

  const isThere = (file: string) =>
    fs.stat(file).then(
      () => true,
      () => false,
    )
  /** Whether there is a session file of this account, readable or not. */
  const isSaved = async (username: string) =>
    (await isThere(path(username))) || (await isThere(existing(username)))

  /** Removes the session of an account, also that of the existing sidecar. @returns whether there was one */
  async function remove(username: string): Promise<boolean> {
    const was = await isSaved(username)
    for (const file of [path(username), existing(username)])
      await fs.unlink(file).catch((error: unknown) => {
        if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error
      })
    return was
  }

  /** The accounts that have a session file here. */
  async function accounts(): Promise<readonly string[]> {
    const entries = await fs.readdir(directory).catch(() => [])
    const names = new Set(
      entries.map((entry) => sessionFileName.exec(entry)?.[1] ?? entry).filter(isUserName),
    )
    const saved = await Promise.all([...names].map(async (name) => ((await isSaved(name)) ? [name] : [])))
    return saved.flat()
  }

  return { path, load, reserve, save, isSaved, remove, accounts, folderProblem }
}

function parse(text: string, file: string, username: string): LoadedSession {
  const value = foreignValue(text)
  if (value === undefined) return none(`${file} is damaged: it is not JSON. Sign in again`)
  const parsed = checkForeign(schema, value)
  if (!parsed.success) return none(`${file} is damaged: it holds no session. Sign in again`)
  if (parsed.output.username.toLowerCase() !== username.toLowerCase()) {
    return none(`${file} holds the session of another account. Remove it and sign in again`)
  }
  const { username: account, refreshToken, guardData } = parsed.output
  return { session: { username: account, refreshToken, guardData }, problem: undefined }
}

function none(problem: string): LoadedSession {
  return { session: undefined, problem, missing: false }
}

function quote(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
