/** One process at a time in a folder. */
import { execFileSync, spawn } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FolderInUse, folderLockFile, lockFolder } from '../../lib/shared-folder/folder-lock.ts'
import { inherited } from '../inherited.ts'

const folderLock = new URL('../../lib/shared-folder/folder-lock.ts', import.meta.url).href

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A process that locks a folder, and stays. @returns once it has tried */
async function other(folder: string, env: Readonly<Record<string, string>> = {}) {
  const program = `
    const { lockFolder } = await import(process.argv[1])
    try {
      console.log(lockFolder(process.argv[2], 'other-host') ? 'locked' : 'no lock')
    } catch (error) {
      console.log(error.message)
    }
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folderLock, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...inherited, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = new Promise((resolve) => child.on('close', resolve))
  const said = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())),
  )
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
  }
  return { said, pid: child.pid, kill }
}

test('a second process is refused with the process id and the host of the first; a kill -9 of the first releases the lock', async () => {
  const folder = newFolder()
  const first = await other(folder)
  expect(first.said).toBe('locked')
  expect(() => lockFolder(folder, 'this-host')).toThrow(
    new FolderInUse(folder, `process ${first.pid} on host other-host`),
  )
  await first.kill()
  const lock = lockFolder(folder, 'this-host')
  expect(lock?.isHeld()).toBe(true)
  const third = await other(folder)
  expect(third.said).toBe(
    `${folder} is in use by process ${process.pid} on host this-host; stop that process, or use another folder`,
  )
  lock?.release()
})

test('a lock whose file was removed with its folder is no longer held', () => {
  const folder = newFolder()
  const lock = lockFolder(folder, 'host')
  rmSync(join(folder, folderLockFile))
  expect(lock?.isHeld()).toBe(false)
  expect(lockFolder(folder, 'host')?.isHeld()).toBe(true)
  lock?.release()
})

test('what another program has written into the lock file is not repeated in the message', () => {
  const folder = newFolder()
  const lock = lockFolder(folder, 'host')
  for (const text of ['', '{"pid":1,"host":"\\u001b[31m"}', '{"pid":-1,"host":"a"}', 'x'.repeat(100_000)]) {
    writeFileSync(join(folder, folderLockFile), text)
    expect(() => lockFolder(folder, 'host')).toThrow(new FolderInUse(folder, 'another process'))
  }
  lock?.release()
})

test('the file behind a link or a second name is neither locked nor written', () => {
  const secret = join(newFolder(), 'secret')
  writeFileSync(secret, 'a secret')
  const folders = [newFolder(), newFolder(), newFolder()]
  symlinkSync(secret, join(folders[0] ?? '', folderLockFile))
  linkSync(secret, join(folders[1] ?? '', folderLockFile))
  mkdirSync(join(folders[2] ?? '', folderLockFile))
  expect(folders.map((folder) => lockFolder(folder, 'host'))).toEqual([undefined, undefined, undefined])
  expect(readFileSync(secret, 'utf8')).toBe('a secret')
})

test('a FIFO in place of the lock file is not waited for, and a link in place of the folder below is not followed', () => {
  const folder = newFolder()
  execFileSync('mkfifo', [join(folder, folderLockFile)])
  expect(lockFolder(folder, 'host')).toBeUndefined()
  const [shared, other] = [newFolder(), newFolder()]
  symlinkSync(other, join(shared, 'Saves'))
  expect(lockFolder(shared, 'host', 'Saves')).toBeUndefined()
  expect(readdirSync(other)).toEqual([])
})

test('a folder below is locked under its own path', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'Saves'))
  const lock = lockFolder(folder, 'host', 'Saves')
  expect(lock?.isHeld()).toBe(true)
  expect(() => lockFolder(join(folder, 'Saves'), 'host')).toThrow(FolderInUse)
  lock?.release()
})

test('a folder that is missing has no lock, nor has a system without the program flock', async () => {
  expect(lockFolder(join(newFolder(), 'missing'), 'host')).toBeUndefined()
  const folder = newFolder()
  const lock = lockFolder(folder, 'host')
  expect((await other(folder, { PATH: folder })).said).toBe('no lock')
  lock?.release()
})
