import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { downloadFailure } from '../../../ticket/depot/download-failure.ts'
import { installGame } from '../../../ticket/depot/install/game.ts'
import { keepAll } from '../../../ticket/depot/plan/filter.ts'
import { lockDirectory } from '../../../ticket/depot/tree/lock-directory.ts'
import { checkSpace } from '../../../ticket/depot/tree/space.ts'
import { DownloadError, exitCodes, Failure } from '../../../ticket/errors.ts'
import { startCdn } from '../../platform/cdn.ts'
import { depotPlatform } from '../../platform/depot-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { eventually } from '../../wait.ts'
import type { ChildOrder } from './child.ts'
import { contentServer, contextOf, farm, GAME, temporaryDirectory, tree, treeOf } from './farm.ts'
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

function exitCode(error: unknown): number | undefined {
  const failure = downloadFailure(error)
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

test('free space is checked first, and nothing is changed when there is too little', async () => {
  const directory = temporaryDirectory()
  await expect(checkSpace(directory, 2 ** 60)).rejects.toMatchObject({ kind: 'disk_full' })
  await expect(checkSpace(directory, 1)).resolves.toBeUndefined()
})

test('a depot larger than the disk is refused before the marker is removed', async () => {
  const entry = { path: 'huge', content: Buffer.alloc(0) }
  const sizes = { offset: 0, cb_original: 2 ** 24, cb_compressed: 1000, sha: Buffer.alloc(20, 1), crc: 0 }
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

test('the game directory may be a symlink to another mount', async () => {
  const { download, directory: place } = await farm(depot)
  const elsewhere = existsSync('/dev/shm') ? '/dev/shm' : temporaryDirectory()
  const { mkdtempSync, rmSync } = await import('node:fs')
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
    retries: { firstDelay: 5, maxDelay: 50, idleTimeout: 1500, maxTries: 12 },
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

test('a killed download does not lock out the next one', async () => {
  const cdn = await startCdn([depot])
  const directory = temporaryDirectory()
  cdn.knobs.fault = () => ({ do: 'delay', milliseconds: 200 })
  const running = spawnOf([child, orderFor(cdn.host, directory)], {}, process.execPath, 'SIGKILL')
  expect((await running).signal).toBe('SIGKILL')
  lockDirectory(directory)()
  await cdn.close()
})

test('the list of written files and the marker are replaced atomically', async () => {
  const { download, directory } = await farm(depot)
  await download()
  mkdirSync(join(directory, 'x'))
  expect(JSON.parse(readFileSync(join(directory, '.download-files.json'), 'utf8')).version).toBe(1)
  expect(readdirSync(directory).filter((name) => name === '.download-new')).toEqual([])
})
