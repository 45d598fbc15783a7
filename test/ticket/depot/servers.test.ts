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

const once = (fault: CdnFault, count = 6) => {
  let left = count
  return ({ kind }: { kind: string }): CdnFault | undefined =>
    kind === 'chunk' && left-- > 0 ? fault : undefined
}

test.each<[string, CdnFault]>([
  ['corrupt chunks', { do: 'corrupt' }],
  ['truncated chunks', { do: 'truncate' }],
  ['chunks that are too short', { do: 'shorten' }],
  ['swapped chunks', { do: 'swap' }],
  ['status 503', { do: 'status', status: 503 }],
  ['status 404', { do: 'status', status: 404 }],
  ['connections that are reset', { do: 'reset' }],
  ['answers that stall', { do: 'stall' }],
  ['garbage', { do: 'replace', body: Buffer.alloc(4096, 7) }],
])('%s are fetched again', async (_what, fault) => {
  const { download, directory, cdn } = await farm(depot)
  cdn.knobs.fault = once(fault)
  await download({ retries: { ...quickRetries, idleTimeout: 1000 } })
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(cdn.chunkRequests()).toBeGreaterThan(depot.chunks.size)
})

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

test('another manifest than the one asked for is not taken', async () => {
  const { download, cdn, directory } = await farm(depot)
  const other = makeDepot({ files: [{ path: 'evil', content: Buffer.from('x') }], manifestId: '666' })
  cdn.knobs.fault = (_request, number) => (number === 1 ? { do: 'replace', body: other.manifest } : undefined)
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('servers rotate on error: what one cannot give, another does', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const broken = await contentServer(depot)
  broken.knobs.fault = () => ({ do: 'status', status: 500 })
  platform.servers = [server(broken.host), server(cdn.host)]
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(broken.requests.length).toBeLessThan(20)
})

test('a server that always damages is left for others', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const liar = await contentServer(depot)
  liar.knobs.fault = () => ({ do: 'corrupt' })
  platform.servers = [server(liar.host), server(cdn.host)]
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('a dead server is left out', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const dead = await contentServer()
  await dead.close()
  platform.servers = [server(dead.host), server('no-such-host.invalid'), server(cdn.host)]
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('without any server that answers the download ends in words', async () => {
  const { download, platform } = await farm(depot)
  const dead = await contentServer()
  await dead.close()
  platform.servers = [server(dead.host)]
  await expect(download()).rejects.toMatchObject({ kind: 'no_server' })
})

test('a server that never has a good chunk ends the download in words, not in a loop', async () => {
  const { download, cdn } = await farm(depot)
  cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'corrupt' } : undefined)
  await expect(download()).rejects.toThrow('did not deliver after 12 tries (last: damaged data)')
})

test('403 asks for a CDN token once', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  cdn.knobs.token = platform.token
  await download()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(platform.tokensGiven).toBe(1)
})

test('a CDN token that Steam could not give once is asked for again', async () => {
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

test('a server that refuses even with a token is asked for no second one', async () => {
  const { download, cdn, platform } = await farm(depot)
  cdn.knobs.token = '?token=another'
  const error: unknown = await download().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'no_server' })
  expect(platform.tokensGiven).toBe(1)
  expect(String(error)).not.toContain('secret-token')
})

test('one slow server does not hold up the end', async () => {
  const { download, directory, cdn, platform } = await farm(depot)
  const slow = await contentServer(depot)
  slow.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'slow', bytesPerSecond: 2000 } : undefined)
  platform.servers = [server(cdn.host), server(slow.host)]
  await download({ retries: { ...quickRetries, idleTimeout: 500 } })
  expect(tree(directory)).toEqual(treeOf(depot))
  // Every chunk came whole from the other server: a slow one was given up and asked for again.
  expect(cdn.chunkRequests()).toBe(depot.chunks.size)
})

test('the proxy is honoured, with its credentials', async () => {
  const { createServer, request: forward } = await import('node:http')
  const { download, directory, cdn, platform } = await farm(depot)
  platform.servers = [server('cache.steamcontent.test')]
  const seen: (string | undefined)[] = []
  const [host, port] = cdn.host.split(':')
  const proxy = createServer((request, response) => {
    seen.push(request.headers['proxy-authorization'])
    const { pathname } = new URL(request.url ?? '')
    forward({ host, port, path: pathname }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const at = typeof address === 'object' ? address?.port : 0
  await download({ proxy: `http://farmer:hat@127.0.0.1:${at}` })
  proxy.close()
  proxy.closeAllConnections()
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(new Set(seen)).toEqual(new Set([`Basic ${Buffer.from('farmer:hat').toString('base64')}`]))
})

test('a failing server rests longer each time, with jitter, and is forgiven after a success', async () => {
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

test('requests go where the fewest wait for the fastest', async () => {
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

test('who waits for servers that rest is let go with the signal’s reason', async () => {
  const retries = { firstDelay: 60_000, maxDelay: 60_000, idleTimeout: 1, maxTries: 1 }
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
