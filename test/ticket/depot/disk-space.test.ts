/** Too little disk space for a download, before it or during it. */
import fs, { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { installGame } from '../../../ticket/depot/install/game.ts'
import { spaceNeeded } from '../../../ticket/depot/install/space.ts'
import { keepAll } from '../../../ticket/depot/plan/filter.ts'
import { DownloadError } from '../../../ticket/errors.ts'
import { depotPlatform } from '../../platform/depot-platform.ts'
import { makeDepot, type StandInDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, contextOf, farm, GAME, newFolder, tree, treeOf } from './farm.ts'
import { gameDepot, sdkDepot } from './games.ts'
import { child, depot, exitCode, orderFor } from './six-files.ts'
import { spawnOf } from './spawn.ts'

// The writes of the worker threads fail as on a full disk: that needs no right to mount.
const full = fileURLToPath(new URL('./full-disk.ts', import.meta.url))

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** The file system reports so many free bytes until the test ends. */
function freeSpace(bytes: number) {
  vi.spyOn(fs, 'statfsSync').mockReturnValue(Object.assign(fs.statfsSync('/'), { bavail: bytes, bsize: 1 }))
  syncBuiltinESMExports()
}

/** Bytes of all files in a directory that downloads made, complete or partial. */
function sizeOf(directory: string): number {
  const files = readdirSync(directory).filter((name) => /^(f\d|\.download-part-)/.test(name))
  return files.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

test('a disk that becomes full during a download ends with a message and exit code 5, and the next run continues', async () => {
  const { download, directory, cdn } = await farm(depot)
  const ended = await spawnOf([child, orderFor(cdn.host, directory)], {
    NODE_OPTIONS: `--import=${full}`,
    ROOM: '1500000',
  })
  expect(ended.stdout).toContain('disk_full: ')
  expect(ended.stdout).toContain('the disk is full')
  expect(exitCode(new DownloadError('disk_full', 'full'))).toBe(5)
  expect(existsSync(join(directory, '.download-manifest-413150'))).toBe(false)
  const before = cdn.chunkRequests()
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(cdn.chunkRequests() - before).toBeLessThan(depot.chunks.size)
})

test('the content of partial files does not count as needed again', async () => {
  const { download, directory, cdn } = await farm(depot)
  cdn.knobs.fault = (_request, number) => (number > 4 ? { do: 'status', status: 503 } : undefined)
  await expect(download()).rejects.toMatchObject({ kind: 'no_server' })
  const fetched = Math.round(sizeOf(directory) / 600_000)
  expect(fetched).toBe(3)
  cdn.knobs.fault = () => undefined
  freeSpace(3 * 600_000 - 1)
  await expect(download()).rejects.toThrow('not enough room')
  freeSpace(3 * 600_000)
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test("space of an old version's deleted files counts as free", async () => {
  const old = makeDepot({ files: [{ path: 'f9', content: seededBytes(9, 4_000_000) }], manifestId: '1' })
  const { download, directory, publish } = await farm(old)
  await download()
  publish(depot)
  freeSpace(0)
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('replaced files need extra space only for the largest, because each old one is deleted in time', async () => {
  const { download, plan, publish } = await farm(depot)
  await download()
  await download({ force: true })
  expect(spaceNeeded(plan().missing)).toBe(600_000)
  const files = depot.files.map(({ path }, index) => ({
    path,
    content: seededBytes(index + 10, 500_000 + index * 100_000),
  }))
  const next = makeDepot({ files, manifestId: '2', chunkSize: 50_000 })
  publish(next)
  await download()
  expect(spaceNeeded(plan().repair)).toBe(100_000 + 200_000 + 300_000 + 400_000 + 600_000)
})

test('good chunks of old files are copied file by file, so the disk never holds all files twice', async () => {
  const files = (version: number) =>
    Array.from({ length: 150 }, (_, index) => ({
      path: `f${index}`,
      content: Buffer.concat([seededBytes(index, 1000), seededBytes(1000 * version + index, 1000)]),
    }))
  const { download, directory, publish, cdn, plan } = await farm(
    makeDepot({ files: files(1), chunkSize: 1000 }),
  )
  await download()
  publish(makeDepot({ files: files(2), chunkSize: 1000, manifestId: '2' }))
  let most = 0
  cdn.knobs.fault = ({ kind }) => {
    const parts = readdirSync(directory).filter((name) => name.startsWith('.download-part-'))
    if (kind === 'chunk') most = Math.max(most, parts.length)
    return undefined
  }
  await download()
  expect(plan().repair.filter(({ copy }) => copy.length > 0)).toHaveLength(150)
  // Files in the queue, and twice 32 that are made durable and renamed.
  expect(most).toBeLessThanOrEqual(12 + 64)
})

/** A version that is larger than any disk. */
function hugeDepot(parts: { readonly depotId?: number; readonly manifestId?: string } = {}): StandInDepot {
  const entry = { path: 'huge', content: Buffer.alloc(0) }
  const sizes = { offset: 0, cb_original: 2 ** 24, cb_compressed: 992, sha: Buffer.alloc(20, 1), crc: 0 }
  const chunks = Array.from({ length: 60_000 }, (_, index) => ({ ...sizes, offset: index * 2 ** 24 }))
  const mangle = (file: object) => ({ ...file, size: 60_000 * 2 ** 24, chunks })
  return makeDepot({ files: [entry], mangle, ...parts })
}

/** Game and SDK in one directory, as `download` installs them. */
async function gameAndSdk(game: StandInDepot, sdk: StandInDepot) {
  const directory = newFolder()
  const cdn = await contentServer(game, sdk)
  const platform = depotPlatform({ [GAME]: game, 1007: sdk }, [cdn.host])
  return {
    markerText: () => readFileSync(join(directory, '.download-manifest-413150'), 'utf8'),
    publish(appId: number, next: StandInDepot) {
      platform.apps.set(appId, next)
      cdn.serve(next)
    },
    async install() {
      const { context, close } = contextOf(platform)
      const request = { appId: GAME, directory, filter: keepAll }
      return await installGame(request, () => undefined, context).finally(close)
    },
  }
}

test('an SDK update without space leaves the marker, so the game can start', async () => {
  const { install, publish, markerText } = await gameAndSdk(gameDepot(), sdkDepot())
  await install()
  const marker = markerText()
  publish(1007, hugeDepot({ depotId: 1006, manifestId: '9' }))
  await expect(install()).rejects.toMatchObject({ kind: 'disk_full' })
  expect(markerText()).toBe(marker)
})

test('a game update without space leaves the marker of the installed game, also after an SDK update', async () => {
  const { install, publish, markerText } = await gameAndSdk(gameDepot(), sdkDepot())
  await install()
  const marker = markerText()
  const files = [{ path: 'linux64/steamclient.so', content: seededBytes(78, 50_000) }]
  publish(1007, makeDepot({ files, depotId: 1006, manifestId: '9' }))
  publish(GAME, hugeDepot({ manifestId: '10' }))
  await expect(install()).rejects.toMatchObject({ kind: 'disk_full' })
  expect(markerText()).toBe(marker)
})

test('a depot larger than the disk is refused before the marker is removed', async () => {
  const { download, directory } = await farm(hugeDepot())
  const marker = join(directory, '.download-manifest-413150')
  writeFileSync(marker, '{}')
  const error: unknown = await download().catch((reason: unknown) => reason)
  expect(String(error)).toContain('not enough room')
  expect(exitCode(error)).toBe(5)
  expect(existsSync(marker)).toBe(true)
  expect(readdirSync(directory)).toEqual(['.download-manifest-413150'])
})
