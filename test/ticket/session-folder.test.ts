/** Which files in a session folder are used, and which are left alone. */
import { chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { disk, type FileSystem, sessionStore } from '../../ticket/session/session-file.ts'
import { newFolder } from '../new-folder.ts'
import { start as now, sessionWith, tokenFor } from './saved-sessions.ts'

let directory: string
beforeEach(() => {
  directory = join(newFolder(), "ticket session's")
  mkdirSync(directory, { mode: 0o700 })
})

const session = sessionWith(tokenFor(200))
const own = () => join(directory, 'session-junimo.json')
const store = (fs: FileSystem = disk) => sessionStore(directory, fs, () => now)
/** Puts a file of the existing sidecar there. */
function putExisting(username: string, content: object | string): string {
  mkdirSync(join(directory, username))
  const file = join(directory, username, 'session.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o644 })
  return file
}
const missing = { session: undefined, problem: 'no saved session', missing: true }

test('without a file there is no saved session, also if a file has its name', async () => {
  expect(await store().load('junimo')).toEqual(missing)
  expect(await store().load(undefined)).toEqual(missing)
  writeFileSync(join(directory, 'file'), '')
  expect(await sessionStore(join(directory, 'file')).load('junimo')).toEqual(missing)
})

test.each([
  [Object.assign(new Error('no'), { code: 'EIO' }), 'EIO'],
  [new Error('no'), 'unknown error'],
])('an unreadable file is reported with the code of the error: %s', async (error, code) => {
  await store().save(session)
  const loaded = await store({ ...disk, readFile: () => Promise.reject(error) }).load('junimo')
  expect(loaded).toEqual({
    session: undefined,
    problem: `${own()} cannot be read (${code})`,
    missing: false,
  })
})

test('a damaged file says whether it is JSON, and the session of the existing sidecar does not replace it', async () => {
  putExisting('junimo', session)
  writeFileSync(own(), '{"user', { mode: 0o600 })
  expect(await store().load('junimo')).toEqual({
    session: undefined,
    problem: `${own()} is damaged: it is not JSON. Sign in again`,
    missing: false,
  })
  const tooLong = `${JSON.stringify(session)}${' '.repeat(2 ** 21)}`
  for (const content of ['{}', 'null', '[]', '{"username":"junimo","refreshToken":""}', tooLong]) {
    writeFileSync(own(), content)
    expect((await store().load('junimo')).problem).toBe(
      `${own()} is damaged: it holds no session. Sign in again`,
    )
  }
})

test('a damaged file of the existing sidecar is reported, and nothing is saved', async () => {
  const file = putExisting('junimo', '{}')
  expect(await store().load('junimo')).toEqual({
    session: undefined,
    problem: `${file} is damaged: it holds no session. Sign in again`,
    missing: false,
  })
  expect(readdirSync(directory)).toEqual(['junimo'])
})

test("the existing sidecar's session is used even if nothing can be saved, with a user name and without; its file keeps its mode until then", async () => {
  const file = putExisting('junimo', session)
  const refused = new Error('EACCES')
  const { load } = store({ ...disk, open: () => Promise.reject(refused) })
  for (const username of ['junimo', undefined])
    expect(await load(username)).toMatchObject({ session, imported: { saveError: refused } })
  expect(statSync(file).mode & 0o777).toBe(0o644)
})

test('the command that fixes a mode can be pasted, for any characters in the path', async () => {
  await store().save(session)
  chmodSync(own(), 0o644)
  const quoted = `'${own().replaceAll("'", "'\\''")}'`
  expect((await store().load('junimo')).problem).toBe(
    `${own()} can be read by others. Fix it with: chmod 600 ${quoted}`,
  )
})

test.each([
  ['the newest', { a: [-300, 10], b: [-100, 10], c: [-200, 10] }, 'b'],
  ['one that is not expired before a newer one that is', { a: [-10, -1], b: [-300, 10], c: [-20, -1] }, 'b'],
  ['the newest of those that are expired', { a: [-300, -1], b: [-100, -1], c: [-200, -1] }, 'b'],
] as const)('without a user name %s is used', async (_, files, used) => {
  for (const [username, [changed, days]] of Object.entries(files)) {
    await store().save({ ...session, username, refreshToken: tokenFor(days) })
    utimesSync(store().path(username), now / 1000 + changed, now / 1000 + changed)
  }
  expect((await store().load(undefined)).session?.username).toBe(used)
})

test('without a user name the reason why a file is not used is reported, and other entries of the folder are skipped', async () => {
  await store().save(session)
  chmodSync(own(), 0o640)
  mkdirSync(join(directory, 'lost+found'))
  mkdirSync(join(directory, 'zzz'))
  writeFileSync(join(directory, 'a name with blanks'), '')
  expect((await store().load(undefined)).problem).toContain('can be read by others')
  await store().save({ ...session, username: 'abigail' })
  expect((await store().load(undefined)).session?.username).toBe('abigail')
})

test('a save removes temporary files of its own account that are older than ten minutes, and no others', async () => {
  const left = {
    '.session-junimo.old.tmp': -601,
    '.session-junimo.limit.tmp': -600,
    '.session-junimo.young.tmp': -1,
    '.session-junimo.old.bak': -9000,
    '.session-abigail.old.tmp': -9000,
  }
  for (const [name, changed] of Object.entries(left)) {
    writeFileSync(join(directory, name), '')
    utimesSync(join(directory, name), now / 1000 + changed, now / 1000 + changed)
  }
  await store().save(session)
  const { '.session-junimo.old.tmp': _, ...kept } = left
  expect(readdirSync(directory).toSorted()).toEqual([...Object.keys(kept), 'session-junimo.json'].toSorted())
})

test('a temporary file that another process removes does not stop a save', async () => {
  writeFileSync(join(directory, '.session-junimo.gone.tmp'), '')
  const gone = (path: unknown) => String(path).includes('.gone.')
  const missingFile = Object.assign(new Error('gone'), { code: 'ENOENT' })
  const fs: FileSystem = {
    ...disk,
    stat: ((path: string) =>
      gone(path) ? Promise.reject(missingFile) : disk.stat(path)) as FileSystem['stat'],
  }
  await store(fs).save(session)
  expect((await store().load('junimo')).session).toEqual(session)
})
