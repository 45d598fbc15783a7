/** The shell in front of workerd: what strangers and holders of a key send past the limits of the farm's own server. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { suiteKey } from '../contract/server-under-test.ts'
import { clientFrame } from '../raw-bytes.ts'
import { eventually, pause } from '../wait.ts'
import { headers } from './an-edge.ts'
import { fleetKey, linkKey } from './edge-server.ts'
import { createFarm, linkedFarm } from './linked-farm.ts'
import { type OwnEdgeOptions, startOwnEdge, workerdOf } from './own-edge.ts'

const keys = { API_KEY: suiteKey, LINK_KEY: linkKey }

async function edge(vars: Readonly<Record<string, string>> = {}, options: OwnEdgeOptions = {}) {
  const own = await startOwnEdge({ ...keys, RATE_LIMIT_READS: '0', LOG_LEVEL: 'debug', ...vars }, options)
  onTestFinished(() => own.stop())
  const { port } = new URL(own.url)
  /** A connection that sends these bytes. */
  const raw = (bytes: string | Buffer) => {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined).write(bytes)
    return socket
  }
  /** An open WebSocket without the library, and what came after the handshake. */
  const open = async (path: string, more = '') => {
    const socket = raw(
      `GET ${path} HTTP/1.1\r\nHost: ${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    )
    const answer = await once(socket, 'data')
    return { socket, head: String(answer[0]) }
  }
  const resident = () => memoryOf(workerdOf(own))
  return { ...own, raw, open, resident }
}

/** Mebibytes. */
async function memoryOf(pid: number): Promise<number> {
  const { readFileSync } = await import('node:fs')
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** The head of a client's frame. */
function frameHead(first: number, length: number): Buffer {
  const head = Buffer.alloc(14)
  head[0] = first
  head[1] = 0xff
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

const ended = async (socket: Socket) => {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  // `once` would reject for a write to a connection that the server has just closed.
  if (!socket.closed) await new Promise((closed) => socket.once('close', closed))
  return Buffer.concat(parts)
}
const statusOf = (bytes: Buffer) => Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1])
/** The code of the first frame, a close frame; undefined when the connection was aborted before it was read. */
const closeCodeOf = (bytes: Buffer) => (bytes.length < 4 ? undefined : bytes.readUInt16BE(2))

test('a malformed Host, CONNECT and OPTIONS * are 400, wake no object, and are limited with a single line of the log at most', async () => {
  const { raw, output } = await edge({ RATE_LIMIT_ANONYMOUS: '60' })
  const before = output().length
  for (const line of [
    'GET /status HTTP/1.1\r\nHost: a b',
    'CONNECT a:1 HTTP/1.1\r\nHost: a',
    'OPTIONS * HTTP/1.1\r\nHost: a',
  ])
    expect([line, statusOf(await ended(raw(`${line}\r\nConnection: close\r\n\r\n`)))]).toEqual([line, 400])
  const statuses: number[] = []
  for (let at = 0; at < 70; at += 1)
    statuses.push(statusOf(await ended(raw('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'))))
  expect([...new Set(statuses)]).toEqual([400, 429])
  expect(output()).not.toContain('farm object awake')
  expect(output().slice(before)).not.toMatch(/"level":"?(error|warn|50|40)/)
})

test('a URL over 4 KiB is 414, and headers over 16 KiB are 431', async () => {
  const { url } = await edge()
  expect((await fetch(`${url}/status?${'x'.repeat(4096)}`)).status).toBe(414)
  expect((await fetch(`${url}/status`, { headers: { 'X-Long': 'x'.repeat(16_384) } })).status).toBe(431)
})

test('20 sockets that send a compressed frame of 32 MiB, and 36 with an unfinished one of 31 MB, are closed, and workerd keeps its memory', async () => {
  const { open, url, resident } = await edge()
  await linkedFarm(url, linkKey)
  const before = await resident()
  const bomb = deflateRawSync(Buffer.alloc(32 * 1024 * 1024), { level: 9 })
  const compressed = Array.from({ length: 20 }, async () => {
    const { socket, head } = await open('/ws', 'Sec-WebSocket-Extensions: permessage-deflate\r\n')
    expect(head).not.toMatch(/permessage-deflate/i)
    const closed = ended(socket)
    socket.write(Buffer.concat([frameHead(0xc1, bomb.length), bomb]))
    return closeCodeOf(await closed)
  })
  expect([1002, undefined]).toEqual(expect.arrayContaining([...new Set(await Promise.all(compressed))]))
  const unfinished = Array.from({ length: 36 }, async () => {
    const { socket } = await open('/ws')
    const closed = ended(socket)
    socket.write(Buffer.concat([frameHead(0x81, 31_000_000), Buffer.alloc(1_000_000)]))
    return closeCodeOf(await closed)
  })
  expect([1009, undefined]).toEqual(expect.arrayContaining([...new Set(await Promise.all(unfinished))]))
  expect((await fetch(`${url}/players`, { headers })).status).toBe(200)
  expect((await resident()) - before).toBeLessThan(100)
})

test('a message in many fragments is limited as one in a single frame is', async () => {
  const { open } = await edge()
  const { socket } = await open('/ws')
  const closed = ended(socket)
  const part = Buffer.concat([frameHead(0x00, 1000), Buffer.alloc(1000)])
  socket.write(
    Buffer.concat([frameHead(0x01, 1000), Buffer.alloc(1000), ...Array.from({ length: 20 }, () => part)]),
  )
  expect(closeCodeOf(await closed)).toBe(1009)
})

test('60 clients that ask for the history again and again and read nothing are closed with 1013, and workerd and the shell keep little of it', async () => {
  const own = await edge({ RATE_LIMIT_WRITES: '0' })
  const { game } = await linkedFarm(own.url, linkKey)
  const speaker = 7n
  game.controls.join({ id: speaker, name: 'Abby' })
  for (let line = 0; line < 500; line += 1) game.controls.say(speaker, 'x'.repeat(400))
  const launcher = own.launcher.pid ?? 0
  const before = (await own.resident()) + (await memoryOf(launcher))
  const auth = clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: suiteKey, since: 0 } }))
  const clients = await Promise.all(Array.from({ length: 60 }, () => own.open('/ws')))
  const asking = setInterval(() => {
    for (const { socket } of clients) if (socket.writable) socket.write(Buffer.concat(Array(10).fill(auth)))
  }, 50)
  for (const { socket } of clients) socket.pause()
  let peak = 0
  await eventually(async () => {
    peak = Math.max(peak, (await own.resident()) + (await memoryOf(launcher)))
    // A client that reads nothing sees no close: it is found by what its writes meet.
    expect(clients.every(({ socket }) => socket.closed)).toBe(true)
  }).finally(() => clearInterval(asking))
  // deploy/compose/edge.yaml gives 1 GiB, and an idle workerd uses a quarter of it.
  expect(peak - before).toBeLessThan(600)
  expect((await fetch(`${own.url}/players`, { headers })).status).toBe(200)
})

test('a link key that sends chat lines of 500 kB without end is read more slowly, and other farms are served', async () => {
  const own = await edge({ FLEET_KEY: fleetKey })
  await linkedFarm(own.url, linkKey)
  const hostile = await createFarm(own.url, 'hostile')
  const { game } = await linkedFarm(`${own.url}/farms/hostile`, hostile.linkKey)
  game.controls.join({ id: 7n, name: 'Abby' })
  const message = 'x'.repeat(500_000)
  const saying = setInterval(() => {
    for (let line = 0; line < 5; line += 1) game.controls.say(7n, message)
  }, 50)
  onTestFinished(() => clearInterval(saying))
  for (let read = 0; read < 20; read += 1) {
    expect((await fetch(`${own.url}/players`, { headers })).status).toBe(200)
    await pause(100)
  }
})

test('a client that sends small frames without end is read more slowly, and others are served', async () => {
  const own = await edge()
  await linkedFarm(own.url, linkKey)
  const { socket } = await own.open('/ws')
  socket.write(clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: suiteKey } })))
  const pings = Buffer.concat(Array<Buffer>(100_000).fill(clientFrame(9, '')))
  socket.write(pings)
  await eventually(() => expect(socket.writableLength).toBe(0))
  // Of 100,000 frames, more than 90,000 still wait in the system or the shell.
  let pongs = 0
  socket.on('data', (bytes: Buffer) => {
    pongs += bytes.length / 2
  })
  expect((await fetch(`${own.url}/players`, { headers })).status).toBe(200)
  expect(pongs).toBeLessThan(10_000)
})

test('workerd that is killed closes clients with 1012 at a server that stays, and meanwhile requests are 503 with Retry-After', async () => {
  const own = await edge()
  const { url } = own
  await linkedFarm(url, linkKey)
  const ws = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  await once(ws, 'open')
  const closed = once(ws, 'close')
  process.kill(workerdOf(own), 'SIGKILL')
  const [code] = await closed
  expect(code).toBe(1012)
  const away = await fetch(`${url}/status`)
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
  await eventually(async () => expect((await fetch(`${url}/instance/ready`)).status).toBe(200))
})

/** One request on a connection that stays open. @returns its answer */
const askOn = async (socket: Socket, path: string, ...lines: string[]) => {
  const answer = once(socket, 'data')
  socket.write([`GET ${path} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n'))
  return String((await answer)[0])
}
const withKey = (key: string) => `Authorization: Bearer ${key}`

test('strangers at the limit of connections push out none over which a right key was sent, and a client that sends the internal header gains nothing', async () => {
  // 72 connections.
  const own = await edge({ FLEET_KEY: fleetKey }, { descriptors: 400 })
  await linkedFarm(own.url, linkKey)
  const claim = 'X-Farmgate-Key-Of: default'
  const asked = [
    ['/players', withKey(suiteKey)],
    ['/no-such-path', withKey(suiteKey)],
    ['/farms', withKey(fleetKey)],
    ['/farms/actions?id=none', withKey(fleetKey)],
    ['/players', claim],
    ['/health', claim],
    ['/players', withKey('wrong')],
  ] as const
  const sockets: Socket[] = []
  for (const [path, line] of asked) {
    const socket = own.raw('')
    sockets.push(socket)
    expect(await askOn(socket, path, line)).toMatch(/^HTTP\/1\.1 /)
  }
  const strangers: Socket[] = []
  for (let count = 0; count < 100; count += 1) {
    const socket = own.raw('').resume()
    await once(socket, 'connect')
    strangers.push(socket)
  }
  await eventually(() =>
    expect([...sockets.slice(4), ...strangers].filter(({ closed }) => closed).length).toBeGreaterThan(30),
  )
  expect(own.output()).toContain('too many connections: closing')
  expect(sockets.map(({ closed }) => closed)).toEqual([false, false, false, false, true, true, true])
  expect(await askOn(sockets[0] ?? own.raw(''), '/players', withKey(suiteKey))).toMatch(/^HTTP\/1\.1 200/)
})

test('the header with which the shell learns of a key is in no answer to a client', async () => {
  const own = await edge({ FLEET_KEY: fleetKey })
  await linkedFarm(own.url, linkKey)
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
  for (const [path, status, ...lines] of [
    ['/players', 200, withKey(suiteKey)],
    ['/players', 200, withKey(suiteKey), 'X-Farmgate-Key-Of: ?'],
    ['/farms', 200, withKey(fleetKey)],
    ['/ws', 101, withKey(suiteKey), upgrade],
    ['/players', 200, withKey(suiteKey), upgrade],
  ] as const) {
    const answer = await askOn(own.raw(''), path, ...lines)
    expect([path, answer]).toEqual([path, expect.stringContaining(`HTTP/1.1 ${status} `)])
    expect(answer).not.toMatch(/x-farmgate-/i)
  }
})
