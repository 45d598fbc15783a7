/** A folder that another program shares: farmgate follows, awaits and leaves nothing there. */
import { execFileSync } from 'node:child_process'
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { inSharedFolder } from '../../../lib/shared-folder/shared-folder.ts'
import { newFolder } from '../../new-folder.ts'
import { beforeEachCall, exchange } from './exchanged.ts'

let root = ''
const shared = (...path: string[]) => join(root, 'shared', ...path)
const outside = (...path: string[]) => join(root, 'outside', ...path)
beforeEach(() => {
  root = newFolder()
  mkdirSync(shared('folder', 'below'), { recursive: true })
  mkdirSync(outside())
  for (const name of ['one', 'two', 'three']) writeFileSync(outside(name), 'secret')
  writeFileSync(shared('folder', 'file'), 'own')
  writeFileSync(shared('folder', 'below', 'one'), 'own')
})

const files = () => readdirSync(outside()).sort()

describe('whenever a folder is replaced with a link', () => {
  /** Runs an action once for each of its calls, with the folder replaced before that call. */
  async function atEachCall(action: () => Promise<unknown>, folder: () => string) {
    for (let moment = 1; ; moment += 1) {
      rmSync(shared(), { recursive: true })
      mkdirSync(shared('folder', 'below'), { recursive: true })
      writeFileSync(shared('folder', 'below', 'one'), 'own')
      let calls = 0
      const end = beforeEachCall((count) => {
        calls = count
        if (count === moment) exchange(folder(), outside())
      })
      await action().catch(() => undefined)
      end()
      expect([moment, files(), readFileSync(outside('one'), 'utf8')]).toEqual([
        moment,
        ['one', 'three', 'two'],
        'secret',
      ])
      if (calls < moment) return moment
    }
  }

  test.each([
    ['a folder that is removed', 'folder'],
    ['a folder below it', 'folder/below'],
  ])('%s leaves the target of the link unchanged', async (_which, folder) => {
    const moments = await atEachCall(
      () => inSharedFolder(shared(), (opened) => opened.remove('folder')),
      () => shared(folder),
    )
    expect(moments).toBeGreaterThan(6)
  })

  test('a file is read, written and made in the folder itself', async () => {
    const read: string[] = []
    const moments = await atEachCall(
      () =>
        inSharedFolder(shared(), async (opened) => {
          read.push(String(await opened.read('folder/below/one', 100)))
          await opened.write('folder/below/one', 'folder/below/new', 'changed')
          await opened.makeFolder('folder/below/more')
          await opened.rename('folder/below/one', 'folder/below/three')
        }),
      () => shared('folder', 'below'),
    )
    expect(moments).toBeGreaterThan(10)
    expect(new Set(read)).toEqual(new Set(['own', 'undefined']))
  })
})

test('removing a link leaves its target, also when the link is inside a folder', async () => {
  symlinkSync(outside(), shared('link'))
  symlinkSync(outside(), shared('folder', 'link'))
  await inSharedFolder(shared(), async (opened) => {
    await opened.remove('link')
    await opened.remove('folder')
    await opened.remove('nothing')
  })
  expect([readdirSync(shared()), files()]).toEqual([[], ['one', 'three', 'two']])
})

test.each([
  ['a FIFO', () => void execFileSync('mkfifo', [shared('entry')])],
  ['a link to a file', () => symlinkSync(outside('one'), shared('entry'))],
  ['a link to an endless device', () => symlinkSync('/dev/zero', shared('entry'))],
  ['a folder', () => void mkdirSync(shared('entry'))],
])('%s is not read', async (_what, make) => {
  make()
  await expect(inSharedFolder(shared(), (opened) => opened.read('entry', 100))).rejects.toMatchObject({
    name: 'NotRegular',
  })
})

test('at most the limit of a file is read', async () => {
  writeFileSync(shared('large'), 'abc')
  truncateSync(shared('large'), 2 ** 40)
  expect(String(await inSharedFolder(shared(), (opened) => opened.read('large', 3)))).toBe('abc')
})

test('a file is not opened when another one has replaced it', async () => {
  const status = await inSharedFolder(shared(), (opened) => opened.status('folder/file'))
  writeFileSync(shared('other'), 'own')
  renameSync(shared('other'), shared('folder', 'file'))
  const opened = inSharedFolder(shared(), (folder) => folder.open('folder/file', 'read', status))
  await expect(opened).rejects.toMatchObject({ name: 'NotRegular' })
})

test('names that are not UTF-8 are removed', async () => {
  const name = Buffer.concat([Buffer.from(`${shared('folder')}/`), Buffer.from([0xff, 0xfe])])
  fs.writeFileSync(name, '')
  await inSharedFolder(shared(), (opened) => opened.remove('folder'))
  expect(existsSync(shared('folder'))).toBe(false)
})

test('folders nested deeper than the limit of open files are removed', async () => {
  // No path is long enough to name the innermost one, so each new folder is put around the others.
  for (let depth = 0; depth < 3000; depth += 1) {
    mkdirSync(shared('around'))
    renameSync(shared('folder'), shared('around', 'folder'))
    renameSync(shared('around'), shared('folder'))
  }
  await inSharedFolder(shared(), (opened) => opened.remove('folder'))
  expect(readdirSync(shared())).toEqual([])
})

test('a removal ends although another program keeps adding files', async () => {
  let made = 0
  const end = beforeEachCall(() => {
    made += 1
    if (existsSync(shared('folder'))) writeFileSync(shared('folder', `more ${made}`), '')
  })
  onTestFinished(end)
  await expect(inSharedFolder(shared(), (opened) => opened.remove('folder'))).rejects.toMatchObject({
    code: 'ENOTEMPTY',
  })
})

test.each(['..', '.', '', 'folder/..', 'folder//file', '../outside/one'])(
  '%j is not a path below a folder',
  async (path) => {
    await expect(inSharedFolder(shared(), (opened) => opened.status(path))).rejects.toThrow('no path below')
    await expect(inSharedFolder(shared(), (opened) => opened.remove(path))).rejects.toThrow('no path below')
    expect([lstatSync(shared('folder')).isDirectory(), files()]).toEqual([true, ['one', 'three', 'two']])
  },
)

test('a disk that does not answer is not awaited', async () => {
  const { lstat } = fs.promises
  Object.assign(fs.promises, { lstat: () => new Promise(() => {}) })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs.promises, { lstat })
    syncBuiltinESMExports()
  })
  await expect(inSharedFolder(shared(), (opened) => opened.status('folder'), 20)).rejects.toMatchObject({
    code: 'ETIMEDOUT',
  })
})
