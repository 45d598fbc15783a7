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
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { downloadFailure } from '../../../ticket/depot/download-failure.ts'
import { installGame } from '../../../ticket/depot/install/game.ts'
import { keepAll } from '../../../ticket/depot/plan/filter.ts'
import { spaceNeeded } from '../../../ticket/depot/plan/space-needed.ts'
import { partialPath } from '../../../ticket/depot/tree/file-names.ts'
import { openGameDirectory } from '../../../ticket/depot/tree/game-directory.ts'
import { lockDirectory } from '../../../ticket/depot/tree/lock-directory.ts'
import { checkSpace } from '../../../ticket/depot/tree/space.ts'
import { DownloadError, exitCodes, Failure } from '../../../ticket/errors.ts'
import { startCdn } from '../../platform/cdn.ts'
import { depotPlatform } from '../../platform/depot-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { eventually } from '../../wait.ts'
import type { ChildOrder } from './child.ts'
import {
  contentServer,
  contextOf,
  farm,
  GAME,
  quickRetries,
  temporaryDirectory,
  tree,
  treeOf,
} from './farm.ts'
import { gameDepot, sdkDepot } from './games.ts'
import { spawnOf } from './spawn.ts'

const child = fileURLToPath(new URL('./child.ts', import.meta.url))
const depot = makeDepot({
  files: Array.from({ length: 6 }, (_, index) => ({
    path: `f${index}`,
    content: seededBytes(index, 600_000),
  })),
})

function orderFor(host: string, directory: string): string {
  const { depotId, manifestId, key } = depot
  const order: ChildOrder = {
    host,
    directory,
    depotId,
    manifestId,
    key: key.toString('hex'),
    filtered: false,
  }
  return JSON.stringify(order)
}

/** Bytes of all files in a directory that downloads made, complete or partial. */
function sizeOf(directory: string): number {
  const files = readdirSync(directory).filter((name) => /^(f\d|\.download-part-)/.test(name))
  return files.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

function exitCode(error: unknown): number | undefined {
  const failure = downloadFailure('Download', error)
  return failure instanceof Failure ? exitCodes[failure.kind] : undefined
}

test('a disk that becomes full during a download ends with a message and exit code 5, and the next run continues', async () => {
  const cdn = await contentServer(depot)
  const directory = temporaryDirectory()
  // The writes of the worker threads fail as they do on a full disk: no mount rights are needed for that.
  const full = fileURLToPath(new URL('./full-disk.ts', import.meta.url))
  const ended = await spawnOf([child, orderFor(cdn.host, directory)], {
    NODE_OPTIONS: `--import=${full}`,
    ROOM: '1500000',
  })
  expect(ended.stdout).toContain('disk_full: ')
  expect(ended.stdout).toContain('the disk is full')
  expect(exitCode(new DownloadError('disk_full', 'full'))).toBe(5)
  expect(existsSync(join(directory, '.download-manifest-413150'))).toBe(false)
  const before = cdn.chunkRequests()
  const again = await spawnOf([child, orderFor(cdn.host, directory)])
  expect(again.code).toBe(0)
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(cdn.chunkRequests() - before).toBeLessThan(depot.chunks.size)
})

test('free space is checked first, and nothing is changed when there is too little', () => {
  const directory = openGameDirectory({ directory: temporaryDirectory(), folder: '' })
  expect(() => checkSpace(directory, 2 ** 60)).toThrow(expect.objectContaining({ kind: 'disk_full' }))
  expect(checkSpace(directory, 1)).toBeUndefined()
  directory.close()
})

test('what partial files hold already does not count as needed again', async () => {
  const { download, directory, cdn } = await farm(depot)
  cdn.knobs.fault = (_request, number) => (number > 4 ? { do: 'status', status: 503 } : undefined)
  await expect(download()).rejects.toMatchObject({ kind: 'no_server' })
  const fetched = Math.round(sizeOf(directory) / 600_000)
  expect(fetched).toBe(3)
  cdn.knobs.fault = () => undefined
  const full = fileURLToPath(new URL('./full-disk.ts', import.meta.url))
  const resumed = (free: number) =>
    spawnOf([child, orderFor(cdn.host, directory)], { NODE_OPTIONS: `--import=${full}`, FREE: String(free) })
  expect((await resumed(3 * 600_000 - 1)).stdout).toContain('not enough room')
  expect(await resumed(3 * 600_000)).toMatchObject({ code: 0 })
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('room that the deleted files of an old version leave counts as free', async () => {
  const old = makeDepot({ files: [{ path: 'f9', content: seededBytes(9, 4_000_000) }], manifestId: '1' })
  const { download, directory, cdn, publish } = await farm(old)
  await download()
  publish(depot)
  const full = fileURLToPath(new URL('./full-disk.ts', import.meta.url))
  const updated = await spawnOf([child, orderFor(cdn.host, directory)], {
    NODE_OPTIONS: `--import=${full}`,
    FREE: '0',
  })
  expect(updated).toMatchObject({ code: 0 })
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('files that are replaced need room once more only for the largest, because each old one is deleted in time', async () => {
  const { download, plan, publish } = await farm(depot)
  await download()
  await download({ force: true })
  expect(spaceNeeded(plan().fetch)).toBe(600_000)
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
  // Files in the queue, and twice 32 that are made durable and get their names.
  expect(most).toBeLessThanOrEqual(12 + 64)
})

test('a depot larger than the disk is refused before the marker is removed', async () => {
  const entry = { path: 'huge', content: Buffer.alloc(0) }
  const sizes = { offset: 0, cb_original: 2 ** 24, cb_compressed: 992, sha: Buffer.alloc(20, 1), crc: 0 }
  const chunks = Array.from({ length: 60_000 }, (_, index) => ({ ...sizes, offset: index * 2 ** 24 }))
  const { download, directory } = await farm(
    makeDepot({ files: [entry], mangle: (file) => ({ ...file, size: 60_000 * 2 ** 24, chunks }) }),
  )
  const marker = join(directory, '.download-manifest-413150')
  writeFileSync(marker, '{}')
  const error: unknown = await download().catch((reason: unknown) => reason)
  expect(String(error)).toContain('not enough room')
  expect(exitCode(error)).toBe(5)
  expect(existsSync(marker)).toBe(true)
  expect(readdirSync(directory)).toEqual(['.download-manifest-413150'])
})

test('missing write permission ends with a message that says so', async () => {
  const cdn = await contentServer(depot)
  const directory = temporaryDirectory()
  chmodSync(directory, 0o555)
  const order: ChildOrder = { ...JSON.parse(orderFor(cdn.host, directory)), nobody: true }
  const ended = await spawnOf([child, JSON.stringify(order)])
  chmodSync(directory, 0o755)
  expect(ended.stdout).toMatch(/^permission: .*(is it writable|no permission)/)
  expect(ended.code).not.toBe(0)
})

test('a game file, a partial file or a list without permission to read is replaced', async () => {
  const cdn = await contentServer(depot)
  const directory = temporaryDirectory()
  if (process.getuid?.() === 0) chownSync(directory, 65534, 65534)
  const order = JSON.stringify({ ...JSON.parse(orderFor(cdn.host, directory)), nobody: true })
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

test('the game directory may be a symlink to another mount', async () => {
  const { download, directory: place } = await farm(depot)
  const elsewhere = existsSync('/dev/shm') ? '/dev/shm' : temporaryDirectory()
  const { mkdtempSync } = await import('node:fs')
  const real = mkdtempSync(join(elsewhere, 'farmgate-'))
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

test('of two downloads at once the second reports the first and exits', async () => {
  const cdn = await contentServer(gameDepot(), sdkDepot())
  const platform = depotPlatform({ [GAME]: gameDepot(), 1007: sdkDepot() }, [cdn.host])
  const directory = temporaryDirectory()
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'stall' } : undefined)
  const request = { appId: GAME, directory, filter: keepAll }
  const one = contextOf(platform, {
    retries: { ...quickRetries, idleTimeout: 1500 },
  })
  const first = installGame(request, () => undefined, one.context)
  // It asks a content server only when it has the lock.
  await eventually(() => cdn.requests.length > 0)
  const second: unknown = await installGame(request, () => undefined, one.context).catch(
    (reason: unknown) => reason,
  )
  expect(second).toMatchObject({ kind: 'busy' })
  expect(String(second)).toContain('another download is at work')
  expect(exitCode(second)).toBe(1)
  // Also seen from another process.
  const other = await spawnOf([child, orderFor(cdn.host, directory)])
  expect(other.stderr + other.stdout).toContain('another download is at work')
  cdn.knobs.fault = () => undefined
  await first
  await one.close()
})

test('a system without the program flock downloads without a lock', async () => {
  const cdn = await contentServer(depot)
  const directory = temporaryDirectory()
  const release = lockDirectory(openGameDirectory({ directory, folder: '' }))
  expect((await spawnOf([child, orderFor(cdn.host, directory)])).stdout).toMatch(/^busy: /)
  expect(await spawnOf([child, orderFor(cdn.host, directory)], { PATH: directory })).toMatchObject({
    code: 0,
  })
  release()
})

test('a killed download does not lock out the next one', async () => {
  const cdn = await startCdn([depot])
  const directory = temporaryDirectory()
  cdn.knobs.fault = () => ({ do: 'delay', milliseconds: 200 })
  const running = spawnOf([child, orderFor(cdn.host, directory)], {}, process.execPath, 'SIGKILL')
  expect((await running).signal).toBe('SIGKILL')
  lockDirectory(openGameDirectory({ directory, folder: '' }))()
  await cdn.close()
})

test('the list of written files and the marker are replaced atomically', async () => {
  const { download, directory } = await farm(depot)
  await download()
  mkdirSync(join(directory, 'x'))
  expect(JSON.parse(readFileSync(join(directory, '.download-files.json'), 'utf8')).version).toBe(1)
  expect(readdirSync(directory).filter((name) => name === '.download-new')).toEqual([])
})
