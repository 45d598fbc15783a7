import { randomBytes } from 'node:crypto'
import * as real from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type AtomicFileSystem, openAtomicFile } from '../../process/atomic-file.ts'
import { isUserName } from '../config-variables.ts'
import { errorCode } from '../errors.ts'
import { readToken } from './token.ts'

/** What the session file needs of a file system; a parameter, so that a full or failing disk can be put under it. */
export interface FileSystem
  extends AtomicFileSystem,
    Pick<typeof real, 'readFile' | 'stat' | 'readdir' | 'mkdir' | 'chmod'> {}

/** The disk. */
export const disk: FileSystem = real

/** What is kept of an account. */
export interface StoredSession {
  readonly username: string
  readonly refreshToken: string
  /** Steam's proof that this machine has shown a code before; a later password sign-in needs none. */
  readonly guardData: string | undefined
}

/** A session, or the reason why there is none, with what mends it where something does. */
type LoadedSession =
  | {
      readonly session: StoredSession
      readonly problem: undefined
      /** Set when it was taken over from the existing sidecar. */
      readonly imported?: { readonly saveError: unknown }
    }
  | { readonly session: undefined; readonly problem: string; readonly missing: boolean }

/** Room on the disk for a session that is about to be written. */
interface Reservation {
  /** Puts the session in the place of the old one. A crash leaves the one or the other, whole. */
  commit(session: StoredSession): Promise<void>
  release(): Promise<void>
}

/** The session files of one directory. */
export interface SessionStore {
  path(username: string): string
  /** Loads an account's session, or the newest one that can be used when no account is named. */
  load(username: string | undefined): Promise<LoadedSession>
  /** Takes room for a session before Steam is asked to replace a token: on a full disk the old one still counts. */
  reserve(username: string): Promise<Reservation>
  save(session: StoredSession): Promise<void>
}

const reservedBytes = 16_384
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

/** @returns the store of a directory. `fs` is the disk unless given. */
export function sessionStore(
  directory: string,
  fs: FileSystem = disk,
  now: () => number = Date.now,
): SessionStore {
  const path = (username: string) => {
    if (!isUserName(username)) throw new Error('an account name may hold no path')
    return join(directory, `session-${username}.json`)
  }

  const existing = (username: string) => join(directory, username, 'session.json')

  async function read(file: string, username: string | undefined): Promise<LoadedSession> {
    let text: string
    try {
      const { mode } = await fs.stat(file)
      if ((mode & 0o077) !== 0)
        return none(`${file} can be read by others. Mend it with: chmod 600 ${quote(file)}`)
      text = await fs.readFile(file, 'utf8')
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR')
        return { session: undefined, problem: 'no saved session', missing: true }
      return none(`${file} cannot be read (${code ?? 'unknown error'})`)
    }
    return parse(text, file, username)
  }

  async function load(username: string | undefined): Promise<LoadedSession> {
    if (username === undefined) return newest()
    const own = await read(path(username), username)
    return own.session || !own.missing ? own : importExisting(username, own)
  }

  /**
   * The existing sidecar's `<username>/session.json`, taken over once: from then on our own file is read. Its volume may
   * belong to root; the session is good all the same, and saved once there is a place for it.
   */
  async function importExisting(username: string, missing: LoadedSession): Promise<LoadedSession> {
    const file = existing(username)
    const text = await fs.readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) return missing
    const found = parse(text, file, username)
    if (!found.session) return found
    const saveError: unknown = await save(found.session).then(
      () => undefined,
      (error: unknown) => error,
    )
    // It was readable by everyone; the sidecar it belongs to runs as root and can still read it.
    if (saveError === undefined) await fs.chmod(file, 0o600).catch(() => undefined)
    return { ...found, imported: { saveError } }
  }

  async function newest(): Promise<LoadedSession> {
    const entries = await fs.readdir(directory).catch(() => [])
    const found: { session: LoadedSession; over: boolean; changed: number }[] = []
    let problem: LoadedSession = { session: undefined, problem: 'no saved session', missing: true }
    for (const entry of entries) {
      const username = sessionFileName.exec(entry)?.[1] ?? entry
      if (!isUserName(username)) continue
      const session = await load(username)
      const claims = session.session ? readToken(session.session.refreshToken).claims : undefined
      if (claims) {
        const { mtimeMs } = await fs.stat(path(username)).catch(() => fs.stat(existing(username)))
        const over = claims.expiresAt !== undefined && claims.expiresAt < now()
        found.push({ session, over, changed: mtimeMs })
      } else if (!session.session && !session.missing) problem = session
    }
    // One that is over by our clock comes last, but it comes: the clock may be wrong.
    found.sort((a, b) => Number(a.over) - Number(b.over) || b.changed - a.changed)
    return found[0]?.session ?? problem
  }

  async function reserve(username: string): Promise<Reservation> {
    await fs.mkdir(directory, { recursive: true, mode: 0o700 })
    await fs.chmod(directory, 0o700).catch(() => undefined)
    await sweep(username)
    const temporary = join(directory, `.session-${username}.${randomBytes(6).toString('hex')}.tmp`)
    const file = await openAtomicFile(path(username), { temporary, mode: 0o600, reserve: reservedBytes, fs })
    return {
      release: file.release,
      commit: (session) => file.commit(`${JSON.stringify(session)}\n`),
    }
  }

  /** Removes what a process that was killed while writing has left. */
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

  return { path, load, reserve, save }
}

function parse(text: string, file: string, username: string | undefined): LoadedSession {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return none(`${file} is damaged: it is not JSON. Sign in again`)
  }
  const parsed = v.safeParse(schema, value)
  if (!parsed.success) return none(`${file} is damaged: it holds no session. Sign in again`)
  if (username !== undefined && parsed.output.username.toLowerCase() !== username.toLowerCase()) {
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
