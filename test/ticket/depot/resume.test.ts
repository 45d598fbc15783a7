import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileSpec, makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { digest, farm, tree } from './farm.ts'
import { gameDepot, gameFiles } from './games.ts'

const changed = (path: string, content: Buffer): FileSpec[] =>
  gameFiles().map((file) => (file.path === path ? { ...file, content } : file))
const MARKER = '.download-manifest-413150'

test('resuming and repairing compare the files: only the chunks that differ are fetched', async () => {
  const { download, directory, cdn } = await farm(gameDepot())
  await download()
  const town = join(directory, 'Content/Maps/Town.xnb')
  const bytes = readFileSync(town)
  bytes[100_000] = (bytes[100_000] ?? 0) ^ 255
  writeFileSync(town, bytes)
  for (const own of readdirSync(directory).filter((name) => name.startsWith('.download-'))) {
    if (own !== '.download-content-hashes.json') rmSync(join(directory, own))
  }
  const before = cdn.chunkRequests()
  await download()
  expect(cdn.chunkRequests() - before).toBe(1)
  expect(digest(readFileSync(town))).toBe(digest(seededBytes(8, 200_000)))
})

test('chunks that an interrupted run fetched are not fetched again', async () => {
  const { download, cdn, directory } = await farm(gameDepot())
  const stop = new AbortController()
  cdn.knobs.fault = (_request, number) => {
    if (number === 15) stop.abort(new Error('stop'))
    return { do: 'delay', milliseconds: 2 }
  }
  await expect(download({ signal: stop.signal, connectionCount: 2 })).rejects.toThrow('stop')
  expect(existsSync(join(directory, MARKER))).toBe(false)
  cdn.knobs.fault = () => undefined
  const before = cdn.chunkRequests()
  await download()
  expect(tree(directory)).toMatchObject({ 'Stardew Valley': expect.any(String) })
  expect(cdn.chunkRequests() - before).toBeLessThanOrEqual(gameDepot().chunks.size - 5)
})

test('FORCE_REDOWNLOAD=1 fetches all chunks again', async () => {
  const { download, cdn, directory } = await farm(gameDepot())
  await download()
  const before = tree(directory)
  const requests = cdn.chunkRequests()
  await download({ force: true })
  expect(cdn.chunkRequests() - requests).toBe(gameDepot().chunks.size)
  expect(tree(directory)).toEqual(before)
})

test('a file gets its name only when it is complete, so a reader never sees a part of it', async () => {
  const next = changed('Content/Maps/Town.xnb', seededBytes(60, 200_000))
  const { download, directory, cdn, publish } = await farm(gameDepot())
  const good = new Map<string, Set<string>>()
  for (const files of [gameFiles(), next]) {
    for (const { path, content } of files) {
      if (content !== undefined) good.set(path, (good.get(path) ?? new Set()).add(digest(content)))
    }
  }
  for (const path of ['libGalaxy64.so', 'libGalaxyCSharpGlue.so', 'Content/ContentHashes.json'])
    good.delete(path)
  cdn.knobs.fault = () => ({ do: 'delay', milliseconds: 4 })
  const wrong: string[] = []
  let reads = 0
  const look = (): void => {
    for (const [path, sha] of Object.entries(tree(directory))) {
      reads += 1
      const expected = good.get(path)
      if (expected !== undefined && !expected.has(sha.replace(' x', ''))) wrong.push(path)
    }
  }
  const watch = setInterval(look, 3)
  await download()
  publish(gameDepot(next, '7999999999999999999'))
  await download()
  clearInterval(watch)
  expect(wrong).toEqual([])
  expect(reads).toBeGreaterThan(100)
})

test('partial data is in a file next to the final one', async () => {
  const whole = makeDepot({ files: [{ path: 'a/big', content: seededBytes(1, 400_000) }], chunkSize: 10_000 })
  const { download, directory, cdn } = await farm(whole)
  const stop = new AbortController()
  // A good part of the forty chunks is already in place: fewer than that are fetched at once.
  cdn.knobs.fault = (_request, number) => {
    if (number === 30) stop.abort(new Error('stop'))
    return undefined
  }
  await expect(download({ signal: stop.signal })).rejects.toThrow('stop')
  expect(readdirSync(join(directory, 'a'))).toEqual([expect.stringMatching(/^\.download-part-/)])
  await download()
  expect(readdirSync(join(directory, 'a'))).toEqual(['big'])
})
