import {
  chmodSync,
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
import { gameFilter, keepAll } from '../../../ticket/depot/plan/filter.ts'
import { silent } from '../../../ticket/depot/progress.ts'
import { partialPath } from '../../../ticket/depot/tree/file-names.ts'
import { inGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { hasVersion } from '../../../ticket/depot/tree/marker.ts'
import { readWrittenFiles } from '../../../ticket/depot/tree/written-files.ts'
import { type FileSpec, makeDepot, type StandInDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { digest, farm, GAME, newFolder, tree, treeOf } from './farm.ts'
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
    const { directory, download, verify } = await farm(version('1', ...files))
    await download()
    expect(readFileSync(join(directory, 'Content/ContentHashes.json'), 'utf8')).toBe('{}')
    expect((await verify()).differences).toEqual([])
    expect((await download()).changed).toBe(0)
  }
})

test('an excluded ContentHashes.json is deleted, and so is its unpruned copy', async () => {
  const files = [
    { path: 'Content/ContentHashes.json', content: Buffer.from('{}') },
    { path: 'Content/a.xnb', content: big(1) },
  ]
  const { directory, download, verify } = await farm(version('1', ...files))
  await download({ filter: keepAll })
  const filter = gameFilter(new Set(), ['Content/ContentHashes.json'])
  await download({ filter })
  expect(Object.keys(tree(directory))).toEqual(['Content/a.xnb'])
  expect(existsSync(join(directory, '.download-content-hashes.json'))).toBe(false)
  expect((await verify(filter)).differences).toEqual([])
})

const files = [
  { path: 'Stardew Valley', content: seededBytes(1, 300_000), flags: 32 },
  { path: 'Content\\Maps\\Farm.xnb', content: seededBytes(2, 2_500_000) },
  { path: 'Content/empty.txt', content: Buffer.alloc(0) },
  { path: 'lib', flags: 64 },
  { path: 'libgame.so', flags: 512, target: 'lib/libgame.so.1' },
  { path: 'lib/libgame.so.1', content: seededBytes(3, 50_000), flags: 128 },
]

test('a download writes the files of a manifest from chunks of all three formats', async () => {
  const depot = makeDepot({ files, formats: ['lzma', 'zstd', 'zip'] })
  const { download, directory } = await farm(depot)
  await download()
  const unix = { ...depot, files: files.map((file) => ({ ...file, path: file.path.replaceAll('\\', '/') })) }
  expect(tree(directory)).toEqual(treeOf(unix))
})

const newVersion = '7999999999999999999'
const versionWith = (path: string, content: Buffer): StandInDepot =>
  gameDepot(
    gameFiles().map((file) => (file.path === path ? { ...file, content } : file)),
    newVersion,
  )
const otherLauncher = versionWith('StardewValley', Buffer.from('launcher 2'))
const otherMap = versionWith('Content/Maps/Town.xnb', seededBytes(50, 200_000))

/** A game without the list of written files, as the existing sidecar leaves it: only the marker names its version. */
async function takenOver() {
  const place = await farm(gameDepot())
  await place.download()
  rmSync(join(place.directory, '.download-files.json'))
  const launcher = join(place.directory, 'StardewValley')
  return { ...place, launcher, text: () => readFileSync(launcher, 'utf8') }
}

test('without the list of written files the launcher is written if it changed since the version of the marker', async () => {
  const { download, publish, text } = await takenOver()
  publish(otherLauncher)
  await download()
  expect(text()).toBe('launcher 2')
})

test('without the list of written files the launcher of a mod loader stays when its version has not changed', async () => {
  const { download, publish, text, launcher, plan } = await takenOver()
  writeFileSync(launcher, 'a mod loader')
  publish(otherMap)
  await download()
  expect(text()).toBe('a mod loader')
  expect(plan().replaced).toEqual(['StardewValley'])
  rmSync(launcher)
  symlinkSync('StardewModdingAPI', launcher)
  expect((await download()).changed).toBe(0)
  expect(plan().replaced).toEqual(['StardewValley'])
})

test('when Steam does not return the version of the marker the launcher stays with a warning, and FORCE_REDOWNLOAD=1 writes it', async () => {
  const { download, publish, text, launcher, cdn } = await takenOver()
  writeFileSync(launcher, 'a mod loader')
  publish(otherLauncher)
  cdn.knobs.fault = ({ path }) =>
    path.includes(`/manifest/${gameDepot().manifestId}/`) ? { do: 'status', status: 404 } : undefined
  const reported: string[] = []
  const retries = {
    firstDelay: 5,
    maxDelay: 20,
    idleTimeout: 10_000,
    maxRequestTime: 10_000,
    reportAfter: 10_000,
    giveUpAfter: 50,
  }
  await download({ retries, progress: { ...silent, say: (line) => void reported.push(line) } })
  expect(text()).toBe('a mod loader')
  expect(reported.join('\n')).toMatch(
    /The manifest of the installed version 7123456789012345678 could not be read/,
  )
  await download({ force: true })
  expect(text()).toBe('launcher 2')
})

test('an interrupted update still knows which launcher is installed', async () => {
  const { download, publish, text, cdn } = await takenOver()
  publish(otherLauncher)
  const stop = new AbortController()
  cdn.knobs.fault = ({ kind }) => {
    if (kind === 'chunk') stop.abort(new Error('stop'))
    return { do: 'delay', milliseconds: 1 }
  }
  await expect(download({ signal: stop.signal })).rejects.toThrow('stop')
  cdn.knobs.fault = () => undefined
  await download()
  expect(text()).toBe('launcher 2')
})

test('an update that is interrupted after an interrupted repair stays an update', async () => {
  const { download, publish, directory, cdn } = await farm(gameDepot())
  await download()
  writeFileSync(join(directory, 'Content/Maps/Town.xnb'), 'damaged')
  publish(otherMap)
  for (const isPinned of [true, false]) {
    const stop = new AbortController()
    cdn.knobs.fault = ({ kind }) => {
      if (kind === 'chunk') stop.abort(new Error('stop'))
      return { do: 'delay', milliseconds: 1 }
    }
    await expect(download({ isPinned, signal: stop.signal })).rejects.toThrow('stop')
    expect([existsSync(join(directory, MARKER)), hasVersion(directory, GAME)]).toEqual([false, isPinned])
  }
})

test('a missing executable bit, also of the launcher, is reported by verify and set by download', async () => {
  const { download, verify, directory } = await farm(gameDepot())
  await download()
  chmodSync(join(directory, 'StardewValley'), 0o744)
  chmodSync(join(directory, 'Stardew Valley'), 0o644)
  expect((await verify()).differences).toEqual([
    { path: 'StardewValley', what: 'not executable' },
    { path: 'Stardew Valley', what: 'not executable' },
  ])
  expect((await download()).changed).toBe(2)
  for (const path of ['StardewValley', 'Stardew Valley'])
    expect(statSync(join(directory, path)).mode & 0o777).toBe(0o755)
  expect((await verify()).differences).toEqual([])
})

test('a marker without a valid version is not requested, and does not reach the path of a request', async () => {
  const { download, publish, text, directory, launcher, cdn, verify } = await takenOver()
  const marker = join(directory, '.download-manifest-413150')
  writeFileSync(marker, '{"appId":413150,"manifestId":"1/5/0?x=../../evil"}')
  writeFileSync(launcher, 'a mod loader')
  expect((await verify()).unfinished).toBe(true)
  publish(otherLauncher)
  await download()
  expect(text()).toBe('a mod loader')
  expect(cdn.requests.filter(({ path }) => path.includes('evil'))).toEqual([])
})
