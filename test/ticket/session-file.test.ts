import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { disk, type FileSystem, sessionStore } from '../../ticket/session/session-file.ts'
import { newFolder } from '../new-folder.ts'
import { sessionWith, start, tokenFor } from './saved-sessions.ts'

let directory: string
beforeEach(() => {
  directory = join(newFolder(), 'deep', 'session')
})

const session = sessionWith(tokenFor(200))
const own = () => join(directory, 'session-junimo.json')
const store = (files: FileSystem = disk, now = () => start) => sessionStore(directory, files, now)

test('the file is session-<username>.json, mode 0600 in a 0700 directory', async () => {
  await store().save(session)
  expect(readdirSync(directory)).toEqual(['session-junimo.json'])
  expect(statSync(own()).mode & 0o777).toBe(0o600)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(await store().load('junimo')).toMatchObject({ session })
})

test.each([0o1777, 0o755, 0o770, 0o700])('an existing folder keeps its mode (%o)', async (mode) => {
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, mode)
  await store().save(session)
  expect(statSync(directory).mode & 0o7777).toBe(mode)
  expect(statSync(own()).mode & 0o777).toBe(0o600)
  expect((await store().load('junimo')).session).toEqual(session)
  expect(await store().folderProblem()).toBeUndefined()
})

test('a world-writable folder without the sticky bit is reported with the command that fixes it', async () => {
  expect(await store().folderProblem()).toBeUndefined()
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o777)
  expect(await store().folderProblem()).toContain(`Fix it with: chmod o-w ${directory}`)
  await store().save(session)
  expect(statSync(directory).mode & 0o777).toBe(0o777)
})

test('it is written to a temporary file, fsynced, renamed, and the directory is fsynced', async () => {
  const steps: string[] = []
  const watched: FileSystem = {
    ...disk,
    async open(path, flags, mode) {
      const name = path === directory ? 'directory' : String(path).endsWith('.tmp') ? 'temporary' : 'other'
      const file = await fs.open(path, flags, mode)
      const sync = file.sync.bind(file)
      file.sync = () => {
        steps.push(`sync ${name}`)
        return sync()
      }
      steps.push(`open ${name} ${flags}`)
      return file
    },
    async rename(from, to) {
      steps.push('rename')
      await fs.rename(from, to)
    },
  }
  await store(watched).save(session)
  expect(steps).toEqual([
    'open temporary wx',
    'sync temporary',
    'sync temporary',
    'rename',
    'open directory r',
    'sync directory',
  ])
})

test('a file readable by others is refused with the command that fixes it', async () => {
  await store().save(session)
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    chmodSync(own(), mode)
    const { session: none, problem } = await store().load('junimo')
    expect(none).toBeUndefined()
    expect(problem).toContain(`chmod 600 ${own()}`)
  }
  chmodSync(own(), 0o600)
  expect((await store().load('junimo')).session).toEqual(session)
})

test("another account's file is refused", async () => {
  await store().save({ ...session, username: 'abigail' })
  writeFileSync(own(), readFileSync(join(directory, 'session-abigail.json')), { mode: 0o600 })
  const { problem } = await store().load('junimo')
  expect(problem).toMatch(/another account/)
})

test('<username>/session.json of the existing sidecar is imported once', async () => {
  const existing = join(directory, 'junimo', 'session.json')
  mkdirSync(join(directory, 'junimo'), { recursive: true })
  writeFileSync(existing, JSON.stringify({ username: 'junimo', refreshToken: session.refreshToken }), {
    mode: 0o644,
  })
  expect(await store().load('junimo')).toMatchObject({
    imported: { saveError: undefined },
    session: { username: 'junimo', refreshToken: session.refreshToken, guardData: undefined },
  })
  expect(statSync(own()).mode & 0o777).toBe(0o600)
  expect(statSync(existing).mode & 0o777).toBe(0o600)
  writeFileSync(existing, 'no longer read')
  const again = await store().load('junimo')
  expect(again).toMatchObject({ session: { refreshToken: session.refreshToken } })
  expect(again).not.toHaveProperty('imported')
})

test('a user name with ../ is never used as a path', async () => {
  await expect(store().load('../../etc/passwd')).rejects.toThrow('no path')
  await expect(store().save({ ...session, username: '../escape' })).rejects.toThrow('no path')
  expect(existsSync(join(directory, '..', 'escape'))).toBe(false)
})

test('on a full disk nothing changes and nothing is left behind', async () => {
  await store().save(session)
  // A disk that is really full: writes to /dev/full end with ENOSPC.
  const full: FileSystem = {
    ...disk,
    open: (path, flags, mode) =>
      fs.open(
        String(path).endsWith('.tmp') ? '/dev/full' : path,
        String(path).endsWith('.tmp') ? 'w' : flags,
        mode,
      ),
  }
  await expect(store(full).save({ ...session, refreshToken: tokenFor(1) })).rejects.toMatchObject({
    code: 'ENOSPC',
  })
  expect((await store().load('junimo')).session).toEqual(session)
  expect(readdirSync(directory)).toEqual(['session-junimo.json'])
})

test('a crash while saving leaves the complete old or new session, and its temporary file is deleted later', async () => {
  await store().save(session)
  // The process dies here: space is reserved, but nothing is committed.
  const { release } = await store().reserve('junimo')
  onTestFinished(release)
  expect((await store().load('junimo')).session).toEqual(session)
  expect(readdirSync(directory)).toHaveLength(2)
  await store(disk, () => Date.now() + 3_600_000).save(session)
  expect(readdirSync(directory)).toEqual(['session-junimo.json'])
})
