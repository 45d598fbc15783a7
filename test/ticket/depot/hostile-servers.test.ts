import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { startWorkers } from '../../../ticket/depot/workers/worker-pool.ts'
import { server } from '../../platform/depot-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { speaking } from './connected.ts'
import { farm, quickRetries, tree, treeOf } from './farm.ts'

const depot = makeDepot({
  files: [1, 2, 3].map((number) => ({ path: `f${number}`, content: seededBytes(number, 30_000) })),
  chunkSize: 10_000,
})

/** Answers one request. `right` is the correct body. */
type Lie = (socket: Socket, right: Buffer) => void

const answer =
  (status: string, fields: readonly string[], body: Buffer | string = ''): Lie =>
  (socket) => {
    socket.write(`HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`)
    socket.write(body)
  }

/** Sends a head, and then the same piece for as long as the client reads. */
const endless =
  (head: string, piece: Buffer | string): Lie =>
  (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.write(head)
    socket.on('drain', more)
    more()
  }

const stated = (length: number | string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const noise = Buffer.alloc(16 * 1024, 'x')
const page = '<!doctype html><title>Sign in to this network</title>'
const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20))

const lies: Readonly<Record<string, Lie>> = {
  'half of the stated length, and the end': (socket, right) => {
    socket.end(Buffer.concat([Buffer.from(stated(right.length)), right.subarray(right.length >> 1)]))
  },
  'half of the stated length, and silence': (socket, right) => {
    socket.write(stated(right.length))
    socket.write(right.subarray(right.length >> 1))
  },
  'a shorter body': (socket, right) =>
    answer('200 OK', ['Content-Length: 16'], right.subarray(0, 16))(socket, right),
  'a longer body': (socket, right) =>
    answer(
      '200 OK',
      [`Content-Length: ${right.length + 1}`],
      Buffer.concat([right, Buffer.alloc(1)]),
    )(socket, right),
  'an empty body': answer('200 OK', ['Content-Length: 0']),
  'an absurd length': answer('200 OK', ['Content-Length: 999999999999999'], noise),
  'a length that is not a number': answer('200 OK', ['Content-Length: -1'], noise),
  'two lengths': answer('200 OK', ['Content-Length: 5', 'Content-Length: 6'], 'wheat!'),
  'an endless body without a length': endless('HTTP/1.1 200 OK\r\n\r\n', noise),
  'chunks that are none': answer('200 OK', ['Transfer-Encoding: chunked'], 'wheat\r\nwheat\r\n'),
  'a chunk of 4 GB': endless(`${chunked}ffffffff\r\n`, noise),
  'endless chunks': endless(chunked, `4000\r\n${noise}\r\n`),
  'an endless line of a chunk': endless(`${chunked}1;`, noise),
  'endless trailers': endless(`${chunked}0\r\n`, 'a: b\r\n'.repeat(1000)),
  'another transfer coding': answer('200 OK', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
  'endless headers': endless('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(1000)),
  'an endless header line': endless('HTTP/1.1 200 OK\r\na: ', noise),
  'endless interim answers': endless('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(500)),
  'an endless error': endless('HTTP/1.1 503 Busy\r\n\r\n', noise),
  'a redirect': answer('302 Found', ['Location: http://127.0.0.1:9/', 'Content-Length: 0']),
  'a page in place of the data': answer('200 OK', [`Content-Length: ${page.length}`], page),
  'endless compressed data': answer(
    '200 OK',
    ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`],
    bomb,
  ),
  'wrong bytes of the right length': (socket, right) => {
    socket.write(Buffer.concat([Buffer.from(stated(right.length)), Buffer.alloc(right.length, 1)]))
  },
  'part of the data, as such': answer('206 Partial Content', ['Content-Length: 5'], 'wheat'),
  'no content': answer('204 No Content', []),
  'another protocol': answer('101 Switching Protocols', ['Upgrade: websocket'], noise),
  'no HTTP': (socket) => void socket.write('SSH-2.0-OpenSSH_10.0\r\n'),
  'one byte at a time': (socket) => {
    socket.write(stated(10_000))
    const timer = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  },
  silence: () => undefined,
  'a reset': (socket) => void socket.resetAndDestroy(),
  'an order for a token, again and again': answer('403 Forbidden', ['Content-Length: 0']),
}

/** The most that a server can send for one request, with what the sockets buffer: 32 MiB and 16 MiB. */
const mostSent = 48 * 2 ** 20

const workers = startWorkers(2)
afterAll(() => workers.close())
const shared = { ...workers, close: async () => undefined }

async function liar(lie: Lie) {
  const heard: string[] = []
  const speaks = await speaking((socket) => {
    const path = /^GET (\S+?)(?:\?\S*)? /.exec(speaks.requests.at(-1) ?? '')?.[1] ?? ''
    heard.push(path)
    const chunk = depot.chunks.get(path.split('/').at(-1) ?? '')
    lie(socket, chunk?.packed() ?? depot.manifest)
  })
  return {
    host: `127.0.0.1:${speaks.port}`,
    heard,
    sent: () => Math.max(...speaks.sockets.map(({ bytesWritten }) => bytesWritten)),
  }
}

describe.each(Object.entries(lies))('a content server that sends %s', (_what, lie) => {
  test('does not stop a download from another server, nor fill the memory', async () => {
    const { download, directory, platform, cdn } = await farm(depot)
    const { host, heard, sent } = await liar(lie)
    platform.servers = [server(host), server(cdn.host)]
    const retries = { ...quickRetries, idleTimeout: 500, giveUpAfter: 600_000 }
    await download({ retries, workers: shared })
    expect(tree(directory)).toEqual(treeOf(depot))
    expect(heard.length).toBeGreaterThan(0)
    expect(sent()).toBeLessThan(mostSent)
  })

  test('alone ends a download with an error, and nothing is installed', async () => {
    const { download, directory, platform } = await farm(depot)
    const { host, sent } = await liar(lie)
    platform.servers = [server(host)]
    const retries = { ...quickRetries, idleTimeout: 200, giveUpAfter: 200 }
    const error: unknown = await download({ retries, workers: shared }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'no_server', name: 'DownloadError' })
    expect(String(error)).toMatch(
      /no content server delivered (the manifest|a chunk) within 0 s \(last: .+\)/,
    )
    expect(tree(directory)).toEqual({})
    expect(sent()).toBeLessThan(mostSent)
  })
})

test('a server with a right manifest and only wrong chunks ends a download with an error', async () => {
  const { download, directory, platform } = await farm(depot)
  const { host } = await liar((socket, right) => {
    const body = right === depot.manifest ? right : Buffer.alloc(right.length, 1)
    socket.write(Buffer.concat([Buffer.from(stated(right.length)), body]))
  })
  platform.servers = [server(host)]
  const retries = { ...quickRetries, giveUpAfter: 200 }
  await expect(download({ retries, workers: shared })).rejects.toThrow(/delivered a chunk.*damaged data/)
  expect(tree(directory)).toEqual({})
})

test('bytes after a right answer belong to no request: the answer is used, the connection is not', async () => {
  const { download, directory, platform } = await farm(depot)
  const { host, sent } = await liar((socket, right) => {
    socket.write(Buffer.concat([Buffer.from(stated(right.length)), right]))
    endless('', noise)(socket, right)
  })
  platform.servers = [server(host)]
  await download({ workers: shared })
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(sent()).toBeLessThan(mostSent)
})
