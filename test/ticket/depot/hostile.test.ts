import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { lzma } from '@napi-rs/lzma'
import { afterAll, describe, expect, test } from 'vitest'
import { unpack } from '../../../ticket/depot/format/unpack.ts'
import { startWorkers } from '../../../ticket/depot/workers/worker-pool.ts'
import { server } from '../../platform/depot-platform.ts'
import { type FileSpec, makeDepot } from '../../platform/depots.ts'
import { pack, zip } from '../../platform/pack.ts'
import { seededBytes, seededRandom } from '../../platform/seeded.ts'
import { speaking } from './connected.ts'
import { farm, newFolder, quickRetries, tree, treeOf } from './farm.ts'

const content = Buffer.from('hostile')

async function refused(...files: FileSpec[]): Promise<string> {
  const directory = join(newFolder(), 'deep', 'game')
  mkdirSync(directory, { recursive: true })
  const { download } = await farm(makeDepot({ files: [{ path: 'good', content }, ...files] }), directory)
  const error: unknown = await download().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ kind: 'manifest' })
  // Nothing is written, neither next to the directory nor in it.
  expect(tree(join(directory, '../..'))).toEqual({})
  return String(error)
}

// The tables of refused paths and links are in safe-path.test.ts, read-manifest.test.ts.
test.each([
  ['a path', { path: '../evil', content }, 'leaves the directory'],
  ['a link', { path: 'lib/x', flags: 512, target: '../../outside' }, 'outside the tree'],
  ['a file as a folder', { path: 'good/y', content }, 'both as'],
  ['a file twice', { path: './good', content }, 'twice'],
])('a download whose manifest has %s that is refused writes nothing', async (_what, file, why) => {
  expect(await refused(file)).toContain(why)
})

test('a file at the path of a directory is refused and not changed', async () => {
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'a/b', content }] }))
  writeFileSync(join(directory, 'a'), 'mine')
  await expect(download()).rejects.toMatchObject({ kind: 'conflict' })
  expect(readFileSync(join(directory, 'a'), 'utf8')).toBe('mine')
})

test('a folder with unknown files at the path of a file is refused and not changed', async () => {
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'a', content }] }))
  mkdirSync(join(directory, 'a'))
  writeFileSync(join(directory, 'a/mine'), 'mine')
  await expect(download()).rejects.toMatchObject({ kind: 'conflict' })
  expect(readFileSync(join(directory, 'a/mine'), 'utf8')).toBe('mine')
})

test('a downloaded file is replaced with a folder, and a folder with a file, when the manifest says so', async () => {
  const { download, directory, publish } = await farm(
    makeDepot({
      files: [
        { path: 'a', content },
        { path: 'b/c', content },
      ],
    }),
  )
  await download()
  publish(
    makeDepot({
      files: [
        { path: 'a/x', content },
        { path: 'b', content },
      ],
      manifestId: '2',
    }),
  )
  await download()
  expect(Object.keys(tree(directory))).toEqual(['a/x', 'b'])
})

test('a symlink at the path of a file is replaced, and its target is not written', async () => {
  const outside = join(newFolder(), 'precious')
  writeFileSync(outside, 'precious')
  const { download, directory } = await farm(makeDepot({ files: [{ path: 'a', content }] }))
  symlinkSync(outside, join(directory, 'a'))
  await download()
  expect(readFileSync(outside, 'utf8')).toBe('precious')
  expect(readFileSync(join(directory, 'a'))).toEqual(content)
})

const BOMB = 64 * 2 ** 20
const zstd = zstdCompressSync(Buffer.alloc(BOMB))
const deflated = deflateRawSync(Buffer.alloc(BOMB))
const tooLong = lzma.compressSync(Buffer.alloc(4 * 2 ** 20))

/** Compressed data that is larger than its stated size, in each container. */
const bombs: readonly [string, Buffer][] = [
  ['lzma', vz(tooLong, 1000)],
  ['lzma with an absurd window', vz(hugeWindow(tooLong), 1000)],
  ['lzma that says so', vz(lzma.compressSync(Buffer.alloc(2 ** 20)), 2 ** 20)],
  ['zstd', vsz(zstd, 1000)],
  ['zstd that says so', vsz(zstd, BOMB)],
  ['zip', zip(deflated, 8, 0, 1000)],
  ['zip that says so', zip(deflated, 8, 0, BOMB)],
  ['zip of a stored body', zip(Buffer.alloc(2 ** 20), 0, 0, 2 ** 20)],
]

test.each(bombs)("hostile compressed data never exceeds the chunk's stated size: %s", (_what, packed) => {
  let size = 0
  try {
    size = unpack(packed, 1000).length
  } catch {
    // The download can refuse the file too.
  }
  expect(size).toBeLessThanOrEqual(1000)
})

test('a container with any damage ends in an error', () => {
  const random = seededRandom(7)
  const plain = seededBytes(3, 5000)
  for (const format of ['lzma', 'zstd', 'zip'] as const) {
    const packed = pack(plain, format)
    expect(unpack(packed, plain.length)).toEqual(plain)
    for (let round = 0; round < 200; round++) {
      const damaged = Buffer.from(
        packed.subarray(0, random() < 0.3 ? Math.floor(random() * packed.length) : packed.length),
      )
      for (let flips = 0; flips < 3; flips++)
        damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256)
      try {
        expect(unpack(damaged, plain.length).length).toBeLessThanOrEqual(plain.length)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }
  }
})

function vz(alone: Buffer, size: number): Buffer {
  const foot = Buffer.alloc(10)
  foot.writeUInt32LE(size, 4)
  foot.write('zv', 8)
  return Buffer.concat([Buffer.from('VZa\0\0\0\0'), alone.subarray(0, 5), alone.subarray(13), foot])
}

function hugeWindow(alone: Buffer): Buffer {
  const changed = Buffer.from(alone)
  changed.writeUInt32LE(0xffffffff, 1)
  return changed
}

function vsz(frame: Buffer, size: number): Buffer {
  const foot = Buffer.alloc(15)
  foot.writeUInt32LE(crc32(Buffer.alloc(1)), 0)
  foot.writeUInt32LE(size, 4)
  foot.write('zsv', 12)
  return Buffer.concat([Buffer.from('VSZa\0\0\0\0'), frame, foot])
}

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
  'an endless body without a length': endless('HTTP/1.1 200 OK\r\n\r\n', noise),
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
