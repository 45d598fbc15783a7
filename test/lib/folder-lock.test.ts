/** One process at a time in a folder. */

import { execFileSync, spawn } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FolderInUse, folderLockFile, lockFolder } from '../../lib/shared-folder/folder-lock.ts'
import { inherited } from '../inherited.ts'
import { newFolder } from '../new-folder.ts'

const folderLock = new URL('../../lib/shared-folder/folder-lock.ts', import.meta.url).href

/** Locks the folder `Saves` in another folder. */
function shared(top: string) {
  const doubts: string[] = []
  const lock = lockFolder(top, 'this-host', { below: 'Saves', onDoubt: (cause) => doubts.push(cause) })
  return { lock, doubts }
}

const holder = (pid: number) => JSON.stringify({ pid, host: 'this-host' })

/** A process that locks a folder and keeps running. @returns once it has tried */
function other(folder: string, env: Readonly<Record<string, string>> = {}, host = 'other-host') {
  const program = `
    const { lockFolder } = await import(process.argv[1])
    try {
      console.log(lockFolder(process.argv[2], process.argv[3]) ? 'locked' : 'no lock')
    } catch (error) {
      console.log(error.message)
    }
    setInterval(() => {}, 1000)`
  return speaking(process.execPath, ['--input-type=module', '-e', program, folderLock, folder, host], env)
}

/** A program that keeps running. @returns once it has written a line */
async function speaking(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...inherited, ...env },
    detached: true,
  })
  const kill = async () => {
    // Also ends the program that `flock` has started.
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
    await closed
  }
  onTestFinished(kill)
  const closed = new Promise((resolve) => child.on('close', resolve))
  const said = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())),
  )
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

test('the message does not repeat what another program wrote into the lock file', () => {
  const folder = newFolder()
  const lock = lockFolder(folder, 'host')
  for (const text of ['', '{"pid":1,"host":"\\u001b[31m"}', '{"pid":-1,"host":"a"}', 'x'.repeat(100_000)]) {
    writeFileSync(join(folder, folderLockFile), text)
    expect(() => lockFolder(folder, 'host')).toThrow(new FolderInUse(folder, 'another process'))
  }
  lock?.release()
})

test('the file behind a symbolic or hard link is neither locked nor written', () => {
  const secret = join(newFolder(), 'secret')
  writeFileSync(secret, 'a secret')
  const folders = [newFolder(), newFolder(), newFolder()]
  symlinkSync(secret, join(folders[0] ?? '', folderLockFile))
  linkSync(secret, join(folders[1] ?? '', folderLockFile))
  mkdirSync(join(folders[2] ?? '', folderLockFile))
  expect(folders.map((folder) => lockFolder(folder, 'host'))).toEqual([undefined, undefined, undefined])
  expect(readFileSync(secret, 'utf8')).toBe('a secret')
})

test('a FIFO as the lock file is not read, and a link as the parent folder is not followed', () => {
  const folder = newFolder()
  execFileSync('mkfifo', [join(folder, folderLockFile)])
  expect(lockFolder(folder, 'host')).toBeUndefined()
  const [top, outside] = [newFolder(), newFolder()]
  symlinkSync(outside, join(top, 'Saves'))
  expect(shared(top)).toEqual({
    lock: undefined,
    doubts: ['"Saves" is a link or a file where a folder must be'],
  })
  expect(readdirSync(outside)).toEqual([])
})

describe('the lock of a folder that a game shares', () => {
  /** A folder with `Saves` and these files. */
  const withSaves = (...files: readonly [name: string, text: string][]) => {
    const top = newFolder()
    const saves = join(top, 'Saves')
    mkdirSync(saves)
    for (const [file, text] of files) writeFileSync(join(saves, file), text)
    return { top, saves, file: join(saves, folderLockFile) }
  }

  test('keeps out a second farmgate of the same user and machine', async () => {
    const { top, saves } = withSaves()
    const first = await other(saves, {}, 'this-host')
    expect(() => shared(top)).toThrow(new FolderInUse(saves, `process ${first.pid} on host this-host`))
  })

  test.each([
    ['says nothing', () => '', 'another process'],
    ['says that it is a farmgate', (pid: number) => holder(pid), 'process <pid> on host this-host'],
    ['names the process that starts', () => holder(process.pid), `process ${process.pid} on host this-host`],
    ['names a Node process', () => holder(process.ppid), `process ${process.ppid} on host this-host`],
  ])('does not keep farmgate out when another program holds it that %s', async (_words, said, words) => {
    const { top, file } = withSaves([folderLockFile, ''])
    const game = await speaking('flock', [file, 'sh', '-c', 'echo held; sleep 1000'])
    writeFileSync(file, said(game.pid ?? 0))
    expect(shared(top)).toEqual({
      lock: undefined,
      doubts: [
        `.farmgate.lock is locked by ${words.replace('<pid>', String(game.pid))}, which is not known to be farmgate`,
      ],
    })
  })

  test.each([
    ['a link', (file: string) => symlinkSync('/nowhere', file), 'not a regular file'],
    ['a FIFO', (file: string) => void execFileSync('mkfifo', [file]), 'not a regular file'],
    ['a folder', (file: string) => mkdirSync(file), 'not a regular file'],
    [
      'a second name',
      (file: string) => linkSync(join(file, '..', 'a'), file),
      'a file with a second name (hard link)',
    ],
  ])('is reported as missing where %s replaces its file', (_words, put, what) => {
    const { top, file } = withSaves(['a', ''])
    put(file)
    expect(shared(top)).toEqual({ lock: undefined, doubts: [`.farmgate.lock is ${what}`] })
  })
})

test('a missing folder has no lock; neither has a system without the program flock', async () => {
  expect(lockFolder(join(newFolder(), 'missing'), 'host')).toBeUndefined()
  const folder = newFolder()
  const lock = lockFolder(folder, 'host')
  expect((await other(folder, { PATH: folder })).said).toBe('no lock')
  lock?.release()
})
