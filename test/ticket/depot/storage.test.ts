/** The game directory: permissions, mounts, and the order of writes. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { partialPath } from '../../../ticket/depot/tree/file-names.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import type { ChildOrder } from './child.ts'
import { contentServer, farm, newFolder, tree, treeOf } from './farm.ts'
import { child, depot, orderFor } from './six-files.ts'
import { spawnOf } from './spawn.ts'

test('missing write permission ends with a message that says so', async () => {
  const cdn = await contentServer(depot)
  const directory = newFolder()
  chmodSync(directory, 0o555)
  const order: ChildOrder = { ...JSON.parse(orderFor(cdn.host, directory)), dropsRights: true }
  const ended = await spawnOf([child, JSON.stringify(order)])
  chmodSync(directory, 0o755)
  expect(ended.stdout).toMatch(/^permission: .*(is it writable|no permission)/)
  expect(ended.code).not.toBe(0)
})

test('a game file, a partial file or a list without permission to read is replaced', async () => {
  const cdn = await contentServer(depot)
  const directory = newFolder()
  if (process.getuid?.() === 0) chownSync(directory, 65534, 65534)
  const order = JSON.stringify({ ...JSON.parse(orderFor(cdn.host, directory)), dropsRights: true })
  expect(await spawnOf([child, order])).toMatchObject({ code: 0 })
  rmSync(join(directory, 'f1'))
  writeFileSync(join(directory, partialPath('f1')), 'unreadable')
  const unreadable = ['f0', partialPath('f1'), '.download-files.json', '.download-manifest-413150']
  for (const path of unreadable) chmodSync(join(directory, path), 0)
  expect(await spawnOf([child, order])).toMatchObject({ code: 0 })
  expect(tree(directory)).toEqual(treeOf(depot))
  for (const path of unreadable.filter((name) => existsSync(join(directory, name))))
    expect(statSync(join(directory, path)).mode & 0o444).toBe(0o444)
})

test('the game directory can be a symlink to another mount', async () => {
  const { download, directory: place } = await farm(depot)
  const otherMount = existsSync('/dev/shm') ? '/dev/shm' : newFolder()
  const { mkdtempSync } = await import('node:fs')
  const real = mkdtempSync(join(otherMount, 'farmgate-'))
  rmSync(place, { recursive: true })
  symlinkSync(real, place)
  await download()
  expect(tree(real)).toEqual(treeOf(depot))
  rmSync(real, { recursive: true })
})

test('partial data is in the folder of its file, so that a rename stays within one mount', async () => {
  const content = seededBytes(1, 90_000)
  const { download, directory, cdn } = await farm(
    makeDepot({ files: [{ path: 'Content/a', content }], chunkSize: 1000 }),
  )
  const seen = new Set<string>()
  cdn.knobs.fault = () => {
    const folder = join(directory, 'Content')
    if (existsSync(folder)) for (const name of readdirSync(folder)) seen.add(name.slice(0, 15))
    return undefined
  }
  await download()
  expect([...seen]).toEqual(['.download-part-'])
  expect(readdirSync(join(directory, 'Content'))).toEqual(['a'])
})

test('a clock that goes backwards does not change the result', async () => {
  const { download, directory } = await farm(depot)
  let time = Date.UTC(2026, 0, 1)
  const date = (): Date => {
    time -= 86_400_000
    return new Date(time)
  }
  await download({ date })
  expect(tree(directory)).toEqual(treeOf(depot))
  expect((await download({ date })).changed).toBe(0)
})

test('the list of written files and the marker are replaced atomically', async () => {
  const { download, directory } = await farm(depot)
  await download()
  mkdirSync(join(directory, 'x'))
  expect(JSON.parse(readFileSync(join(directory, '.download-files.json'), 'utf8')).version).toBe(1)
  expect(readdirSync(directory).filter((name) => name === '.download-new')).toEqual([])
})
