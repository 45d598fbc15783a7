import { expect, test } from 'vitest'
import { serverPool } from '../../../ticket/depot/cdn/server-pool.ts'
import { DownloadError } from '../../../ticket/errors.ts'
import type { CdnFault } from '../../platform/cdn.ts'
import { server } from '../../platform/depot-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, farm, quickRetries, tree, treeOf } from './farm.ts'

const depot = makeDepot({
  files: Array.from({ length: 12 }, (_, index) => ({
    path: `f${index}`,
    content: seededBytes(index, 60_000),
  })),
  chunkSize: 20_000,
})
const none = new AbortController().signal

test.each<[string, CdnFault]>([
  ['a damaged manifest', { do: 'corrupt' }],
  ['half a manifest', { do: 'truncate' }],
  ['a manifest of nothing', { do: 'replace', body: Buffer.from('PK\x03\x04') }],
])('%s is fetched again', async (_what, fault) => {
  const { download, directory, cdn } = await farm(depot)
  cdn.knobs.fault = (_request, number) => (number <= 2 ? fault : undefined)
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('a manifest with another id than the requested one is rejected', async () => {
  const { download, cdn, directory } = await farm(depot)
  const other = makeDepot({ files: [{ path: 'evil', content: Buffer.from('x') }], manifestId: '666' })
  cdn.knobs.fault = (_request, number) => (number === 1 ? { do: 'replace', body: other.manifest } : undefined)
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('a hostile manifest from one server is not final: another server is tried', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const hostile = makeDepot({ files: [{ path: '../evil', content: Buffer.from('x') }] })
  const liar = await contentServer(hostile)
  platform.servers = [server(liar.host), server(cdn.host)]
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(liar.requests.length).toBeGreaterThan(0)
})

test('a dead server is no longer used', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const dead = await contentServer()
  await dead.close()
  platform.servers = [server(dead.host), server('no-such-host.invalid'), server(cdn.host)]
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('when no server answers, the download ends with an error message', async () => {
  const { download, platform } = await farm(depot)
  const dead = await contentServer()
  await dead.close()
  platform.servers = [server(dead.host)]
  const error: unknown = await download().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'no_server' })
  expect(String(error)).toContain('delivered the manifest within 2 s (last: not reachable (ECONNREFUSED))')
})

test('when Steam lists no content server, the download ends with an error message', async () => {
  const { download, platform } = await farm(depot)
  platform.servers = []
  await expect(download()).rejects.toThrow('Steam lists no content server for this app')
})

test('403 requests a CDN token once', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  cdn.knobs.token = platform.token
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(platform.tokensGiven).toBe(1)
})

test('a CDN token that Steam could not issue is requested again', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  cdn.knobs.token = platform.token
  const give = platform.cdnToken
  platform.cdnToken = async (...args) => {
    const token = await give(...args)
    if (platform.tokensGiven === 1) throw new DownloadError('platform', 'busy')
    return token
  }
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(platform.tokensGiven).toBe(2)
})

test('when Steam gives no request code for the manifest, the download ends with this error, not after minutes', async () => {
  const { download, platform, cdn } = await farm(depot)
  platform.manifestRequestCode = async () => {
    throw new DownloadError('platform', 'Steam did not give the manifest request code')
  }
  const error: unknown = await download({ retries: { ...quickRetries, giveUpAfter: 600_000 } }).catch(
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ kind: 'platform', message: 'Steam did not give the manifest request code' })
  expect(cdn.requests).toEqual([])
})

test('for a server that refuses a token no second token is requested', async () => {
  const { download, cdn, platform } = await farm(depot)
  cdn.knobs.token = '?token=another'
  const error: unknown = await download().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'no_server' })
  expect(platform.tokensGiven).toBe(1)
  expect(String(error)).not.toContain('secret-token')
})

test('one slow server does not delay the end of the download', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const slow = await contentServer(depot)
  slow.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'slow', bytesPerSecond: 2000 } : undefined)
  platform.servers = [server(cdn.host), server(slow.host)]
  await download({ retries: { ...quickRetries, idleTimeout: 500 } })
  expect(tree(directory)).toEqual(treeOf(depot))
  // Every chunk came whole from the other server: the slow request was dropped and repeated.
  expect(cdn.chunkRequests()).toBe(depot.chunks.size)
})

test('the back-off of a failing server grows with each failure, with jitter, and ends with a success', async () => {
  let time = 0
  const pool = serverPool(
    [server('a')],
    { ...quickRetries, firstDelay: 100, maxDelay: 1000 },
    () => time,
    () => 0.5,
  )
  const rests: number[] = []
  for (let round = 0; round < 6; round++) {
    const rated = await pool.take(none)
    pool.done(rated, 'failed')
    rests.push(rated.restUntil - time)
    time = rated.restUntil
  }
  expect(rests).toEqual([75, 150, 300, 600, 750, 750])
  const rated = await pool.take(none)
  pool.done(rated, { pace: 1 })
  expect(rated.failures).toBe(0)
})

test('requests go to the server with the shortest queue for its speed', async () => {
  const pool = serverPool(
    [server('slow'), server('fast')],
    quickRetries,
    () => 0,
    () => 0,
  )
  for (const rated of [await pool.take(none), await pool.take(none)]) {
    pool.done(rated, { pace: rated.server.host === 'slow' ? 8 : 1 })
  }
  const taken: string[] = []
  for (let count = 0; count < 9; count++) taken.push((await pool.take(none)).server.host)
  expect(taken.filter((host) => host === 'fast')).toHaveLength(8)
})

test('an abort while all servers are in back-off ends the wait with the signal’s reason', async () => {
  const retries = { ...quickRetries, firstDelay: 60_000, maxDelay: 60_000 }
  const pool = serverPool(
    [server('a')],
    retries,
    () => 0,
    () => 1,
  )
  const stop = new AbortController()
  pool.done(await pool.take(stop.signal), 'failed')
  const taken = pool.take(stop.signal)
  stop.abort(new Error('rain'))
  await expect(taken).rejects.toThrow('rain')
})
