import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gameFilter, keepAll } from '../../../ticket/depot/plan/filter.ts'
import { partialPath } from '../../../ticket/depot/tree/file-names.ts'
import { inGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { readWrittenFiles } from '../../../ticket/depot/tree/written-files.ts'
import { type FileSpec, makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { farm, newFolder, tree, treeOf } from './farm.ts'

const big = (seed: number): Buffer => seededBytes(seed, 400_000)
const version = (manifestId: string, ...files: FileSpec[]) =>
  makeDepot({ files, manifestId, chunkSize: 10_000 })
const own = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.download-(part|new)/.test(path))
    .sort()

/** Runs a download that ends in the middle of its chunks. */
async function interrupted({ download, cdn }: Awaited<ReturnType<typeof farm>>): Promise<void> {
  const stop = new AbortController()
  const before = cdn.chunkRequests()
  cdn.knobs.fault = () => {
    if (cdn.chunkRequests() - before >= 30) stop.abort(new Error('stop'))
    return undefined
  }
  await expect(download({ signal: stop.signal })).rejects.toThrow('stop')
  cdn.knobs.fault = () => undefined
}

test('partial files of an interrupted download of another version are deleted, with their folders', async () => {
  const place = await farm(version('1', { path: 'old/deep/big', content: big(1) }))
  const { directory, download, publish } = place
  await interrupted(place)
  expect(own(directory)).toEqual([partialPath('old/deep/big')])
  const next = version('2', { path: 'new/big', content: big(2) })
  publish(next)
  await interrupted(place)
  expect(own(directory)).toEqual([partialPath('new/big')])
  await download()
  expect(tree(directory)).toEqual(treeOf(next))
  expect(own(directory)).toEqual([])
  expect(existsSync(join(directory, 'old'))).toBe(false)
})

test('files with names that no download gives are never deleted', async () => {
  const { directory, download } = await farm(version('1', { path: 'lib/big', content: big(1) }))
  await download()
  const names = ['.download-part-mine', '.download-new-mine', '.download-notes', 'x.download-new', 'mine']
  for (const name of names) writeFileSync(join(directory, 'lib', name), name)
  mkdirSync(join(directory, 'Mods'))
  writeFileSync(join(directory, 'Mods', `.download-part-${'0'.repeat(20)}`), 'in a folder of a mod')
  writeFileSync(join(directory, 'lib', `.download-part-${'0'.repeat(20)}`), 'left by a download')
  writeFileSync(join(directory, '.download-new'), 'left by an earlier version of this program')
  expect((await download()).changed).toBe(0)
  expect(readdirSync(join(directory, 'lib')).sort()).toEqual([...names, 'big'].sort())
  expect(own(join(directory, 'Mods'))).toHaveLength(1)
  expect(existsSync(join(directory, '.download-new'))).toBe(false)
})

test('a list of written files that is nested, or has more than 250,000 of them, is not parsed and counts as damaged', () => {
  const directory = newFolder()
  const read = (text: string) => {
    writeFileSync(join(directory, '.download-files.json'), text)
    return inGameDirectory({ directory, folder: '' }, readWrittenFiles)
  }
  const list = (count: number): string => {
    const files = Array.from({ length: count }, (_, index) => [`a{[,"${index}`, ''])
    return JSON.stringify({ version: 1, files: Object.fromEntries(files) })
  }
  expect(read(list(1000))?.size).toBe(1000)
  expect(read(list(250_001))).toBeUndefined()
  expect(read('{"version":1,"files":{"a":""},"more":[]}')).toBeUndefined()
  expect(read('['.repeat(1_000_000))).toBeUndefined()
  // An endless text is read once, not once for each of its quotation marks.
  expect(read(`"${'\\"'.repeat(1_000_000)}`)).toBeUndefined()
})

test('a depot whose only content file is ContentHashes.json, or whose only file it is, is installed', async () => {
  const content = Buffer.from('{"Maps/Gone.xnb":"1"}')
  const hashes = { path: 'Content/ContentHashes.json', content }
  for (const files of [[hashes], [hashes, { path: 'game', content: big(1) }]]) {
    const { directory, download, check } = await farm(version('1', ...files))
    await download()
    expect(readFileSync(join(directory, 'Content/ContentHashes.json'), 'utf8')).toBe('{}')
    expect((await check()).differences).toEqual([])
    expect((await download()).changed).toBe(0)
  }
})

test('an excluded ContentHashes.json is deleted, and so is its unpruned copy', async () => {
  const files = [
    { path: 'Content/ContentHashes.json', content: Buffer.from('{}') },
    { path: 'Content/a.xnb', content: big(1) },
  ]
  const { directory, download, check } = await farm(version('1', ...files))
  await download({ filter: keepAll })
  const filter = gameFilter(new Set(), ['Content/ContentHashes.json'])
  await download({ filter })
  expect(Object.keys(tree(directory))).toEqual(['Content/a.xnb'])
  expect(existsSync(join(directory, '.download-content-hashes.json'))).toBe(false)
  expect((await check(filter)).differences).toEqual([])
})
