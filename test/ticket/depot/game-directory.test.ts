import {
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type GameDirectory, openGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { writeRecord } from '../../../ticket/depot/tree/record.ts'
import { canRun } from '../../left-out.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, newFolder, tree, treeOf } from './farm.ts'
import { child, orderFor } from './six-files.ts'
import { spawnOf } from './spawn.ts'

function opened(directory = newFolder()): GameDirectory {
  const game = openGameDirectory({ directory, folder: '' })
  onTestFinished(() => game.close())
  return game
}

const descriptors = '/proc/self/fd'
/** How many files this process has open. */
const openFiles = (): number => readdirSync(descriptors).length
const countProblem = existsSync(descriptors) ? undefined : `there is no ${descriptors}`

const conflict = expect.objectContaining({ kind: 'conflict' })

test('an opened folder stays the same folder when a link replaces it', () => {
  const directory = newFolder()
  const outside = newFolder()
  const game = opened(directory)
  game.makeFolder('Content/Maps')
  writeRecord(game, 'Content/Maps/one', '1')
  renameSync(join(directory, 'Content'), join(directory, 'moved'))
  symlinkSync(outside, join(directory, 'Content'))
  writeRecord(game, 'Content/Maps/two', '2')
  expect(readdirSync(outside)).toEqual([])
  expect(readdirSync(join(directory, 'moved/Maps')).sort()).toEqual(['one', 'two'])
  // Opened after the link: refused.
  expect(() => opened(directory).openFile('Content/Maps/one', 'read')).toThrow(conflict)
  expect(opened(directory).status('Content/Maps/one')).toBeUndefined()
})

test('a path with .. or without a name is never opened', () => {
  const directory = join(newFolder(), 'game')
  mkdirSync(join(directory, 'a'), { recursive: true })
  writeFileSync(join(directory, '../secret'), 'x')
  for (const path of ['../secret', 'a/../../secret', '..', 'a/..', 'a//b', './a', '.', 'a/']) {
    expect(() => opened(directory).openFile(path, 'read')).toThrow('no path below a folder')
  }
  expect(() => openGameDirectory({ directory, folder: '..' })).toThrow('no path below a folder')
})

test.runIf(canRun('the folders that are open at once', countProblem))(
  'more folders than the limit of open files can be used',
  () => {
    const directory = newFolder()
    const before = openFiles()
    const game = openGameDirectory({ directory, folder: '' })
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number < 300; number++) {
        const path = `d${number}/deep/file`
        game.makeFolder(`d${number}/deep`)
        closeSync(game.openFile(path, 'create'))
      }
      expect(openFiles() - before).toBeLessThan(140)
    }
    const deep = Array.from({ length: 200 }, () => 'd').join('/')
    game.makeFolder(deep)
    closeSync(game.openFile(`${deep}/file`, 'new'))
    expect(existsSync(join(directory, deep, 'file'))).toBe(true)
    game.close()
    expect(openFiles()).toBe(before)
  },
)

test('on a system without /proc links are refused too, and a download is complete', async () => {
  const depot = makeDepot({ files: [{ path: 'Content/Maps/a', content: seededBytes(1, 50_000) }] })
  const cdn = await contentServer(depot)
  const directory = newFolder()
  const outside = newFolder()
  const order = orderFor(cdn.host, directory, {}, depot)
  const noProc = fileURLToPath(new URL('./no-proc.ts', import.meta.url))
  const download = () => spawnOf([child, order], { NODE_OPTIONS: `--import=${noProc}` })
  for (const link of ['.download-lock', 'Content']) {
    symlinkSync(join(outside, link === 'Content' ? '' : 'new'), join(directory, link))
    expect((await download()).stdout).toMatch(/^conflict: /)
    expect(readdirSync(outside)).toEqual([])
    rmSync(join(directory, link))
  }
  expect(await download()).toMatchObject({ code: 0 })
  expect(tree(directory)).toEqual(treeOf(depot))
})
