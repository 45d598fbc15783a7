/** The HTTP client of the download over TLS. */

import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { certificate, trust } from '../../certificate.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { eventually } from '../../wait.ts'
import { client, get, listen, outcome, speaking, wheat } from './connected.ts'
import type { FetchOrder } from './fetch-child.ts'
import { spawnOf } from './spawn.ts'

const crop = seededBytes(7, 300_000)

/** Serves the crop over TLS. */
async function secureFarm({ key, cert }: Certificate) {
  const hosts: (string | undefined)[] = []
  const server = https.createServer({ key, cert }, ({ headers }, response) => {
    hosts.push(headers.host)
    response.writeHead(200, { 'content-length': crop.length }).end(crop)
  })
  const port = await listen(server)
  return { url: `https://127.0.0.1:${port}/crop`, port, hosts }
}

/** A proxy for which every name is loopback; it opens tunnels, unless `refuse` handles the request. */
async function tunnels(refuse?: (socket: net.Socket) => void, over?: Certificate) {
  const asked: [string | undefined, string | undefined][] = []
  const server = over === undefined ? http.createServer() : https.createServer(over)
  server.on('connect', (request, socket: net.Socket) => {
    asked.push([request.url, request.headers['proxy-authorization']])
    if (refuse !== undefined) {
      socket.resume().on('end', () => socket.end())
      return refuse(socket)
    }
    const farm = net.connect(Number(request.url?.split(':')[1]), '127.0.0.1')
    onTestFinished(() => void farm.destroy())
    for (const [from, to] of [
      [socket, farm],
      [farm, socket],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
    farm.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(farm).pipe(socket)
    })
  })
  return { port: await listen(server), asked }
}

/** The output of a process that trusts the authorities in a file, once it has ended. */
async function child(order: FetchOrder, authorities?: string): Promise<string> {
  const program = fileURLToPath(new URL('fetch-child.ts', import.meta.url))
  const environment = authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }
  const { code, stdout, stderr } = await spawnOf([program, JSON.stringify(order)], environment)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe('over TLS', () => {
  test('a body arrives whole, repeatedly on one connection', async () => {
    const made = await certificate()
    trust(made)
    const { url, hosts } = await secureFarm(made)
    const connections = client()
    for (let round = 0; round < 3; round++) {
      expect((await get(connections, url, { vhost: 'localhost' })).equals(crop)).toBe(true)
    }
    expect(hosts).toEqual(['localhost', 'localhost', 'localhost'])
  })

  test('a server with an untrusted certificate is unreachable, and does not get the request', async () => {
    const { url, hosts } = await secureFarm(await certificate())
    expect(await outcome(get(client(), url, { vhost: 'localhost' }))).toBe('unreachable')
    expect(hosts).toEqual([])
  })

  test('a server with a trusted certificate for another name is unreachable', async () => {
    const made = await certificate()
    trust(made)
    const { url, hosts } = await secureFarm(made)
    expect(await outcome(get(client(), url, { vhost: 'cache.test' }))).toBe('unreachable')
    expect(await outcome(get(client(), url, { vhost: '127.0.0.2' }))).toBe('unreachable')
    expect(hosts).toEqual([])
  })

  test('a certificate for an IP address is accepted', async () => {
    const made = await certificate()
    trust(made)
    const { url } = await secureFarm(made)
    expect((await get(client(), url, { vhost: '127.0.0.1' })).equals(crop)).toBe(true)
  })

  test('a server that speaks no TLS is unreachable', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    const chatty = net.createServer((socket) => void socket.write(wheat))
    expect(await outcome(get(client(), `https://127.0.0.1:${await listen(chatty)}/`))).toBe('unreachable')
    expect(await outcome(get(client({ idle: 50 }), farm.url.replace('http', 'https')))).toBe('stalled')
  })

  test('nothing writes into the memory after an abort between two pieces of one read', async () => {
    const made = await certificate()
    trust(made)
    const { url } = await secureFarm(made)
    const memory = Buffer.alloc(crop.length)
    const stop = new AbortController()
    const got = get(client(), url, {
      vhost: 'localhost',
      memory: () => {
        queueMicrotask(() => stop.abort(new Error('rain')))
        return memory
      },
      signal: stop.signal,
    })
    const error: unknown = await got.catch((reason: unknown) => {
      memory.fill(0)
      return reason
    })
    expect(error).toEqual(new Error('rain'))
    await new Promise(setImmediate)
    expect(memory.equals(Buffer.alloc(crop.length))).toBe(true)
  })

  test('bytes after the response end the connection', async () => {
    const made = await certificate()
    trust(made)
    let opened = 0
    const server = https.createServer(made)
    server.on('secureConnection', (socket) => {
      opened += 1
      socket.removeAllListeners('data')
      socket.on('error', () => undefined)
      socket.on('data', () => socket.write(wheat + wheat))
    })
    const url = `https://127.0.0.1:${await listen(server)}/`
    const connections = client()
    for (let round = 0; round < 3; round++) expect(await outcome(get(connections, url))).toBe('wheat')
    expect(opened).toBe(3)
  })
})

describe('a process', () => {
  test('that trusts an authority by NODE_EXTRA_CA_CERTS gets the body whole, and ends after close', async () => {
    const made = await certificate()
    const { url } = await secureFarm(made)
    const order = { url, vhost: 'localhost' }
    expect(await child(order, made.file)).toBe(crop.toString('base64'))
    expect(await child(order)).toBe('unreachable')
  })

  test('ends after close during a request', async () => {
    const silent = net.createServer()
    const url = `127.0.0.1:${await listen(silent)}/`
    for (const protocol of ['http', 'https'])
      expect(await child({ url: `${protocol}://${url}`, vhost: 'localhost', hasty: true })).toBe('cut')
  })

  test('ends after close, although a proxy has not answered', async () => {
    const silent = net.createServer()
    const proxy = `http://127.0.0.1:${await listen(silent)}`
    expect(await child({ url: 'https://cache.test/', vhost: 'cache.test', proxy, hasty: true })).toBe('cut')
  })

  test('ends after close through a proxy', async () => {
    const made = await certificate()
    const { url } = await secureFarm(made)
    const proxy = `http://127.0.0.1:${(await tunnels()).port}`
    expect(await child({ url, vhost: 'localhost', proxy }, made.file)).toBe(crop.toString('base64'))
  })
})

describe('through a proxy', () => {
  test.each(['localhost', '127.0.0.1'])(
    'TLS to %s uses CONNECT with the credentials, once for many requests',
    async (vhost) => {
      const made = await certificate()
      trust(made)
      const { url, port, hosts } = await secureFarm(made)
      const proxy = await tunnels()
      const connections = client({ proxy: `http://farmer:h%40t@127.0.0.1:${proxy.port}` })
      for (let round = 0; round < 3; round++) {
        expect((await get(connections, url, { vhost })).equals(crop)).toBe(true)
      }
      expect(hosts).toEqual([vhost, vhost, vhost])
      const credentials = `Basic ${Buffer.from('farmer:h@t').toString('base64')}`
      expect(proxy.asked).toEqual([[`127.0.0.1:${port}`, credentials]])
    },
  )

  test('that is itself reached over TLS, the certificates of proxy and server are each checked', async () => {
    const made = await certificate()
    trust(made)
    const { port, hosts } = await secureFarm(made)
    const url = `https://cache.test:${port}/crop`
    const proxy = await tunnels(undefined, made)
    const connections = client({ proxy: `https://127.0.0.1:${proxy.port}` })
    expect((await get(connections, url, { vhost: 'localhost' })).equals(crop)).toBe(true)
    expect(await outcome(get(connections, url, { vhost: 'cache.test' }))).toBe('unreachable')
    expect(hosts).toEqual(['localhost'])
  })

  test.each(['localhost', '127.0.0.1'])('%s with an untrusted certificate is unreachable', async (vhost) => {
    const { url, hosts } = await secureFarm(await certificate())
    const { port } = await tunnels()
    const connections = client({ proxy: `http://127.0.0.1:${port}` })
    expect(await outcome(get(connections, url, { vhost }))).toBe('unreachable')
    expect(hosts).toEqual([])
  })

  test.each(['cache.test', '127.0.0.2'])(
    'a trusted certificate that is not for %s is unreachable',
    async (vhost) => {
      const made = await certificate()
      trust(made)
      const { url, hosts } = await secureFarm(made)
      const { port } = await tunnels()
      const connections = client({ proxy: `http://127.0.0.1:${port}` })
      expect(await outcome(get(connections, url, { vhost }))).toBe('unreachable')
      expect(hosts).toEqual([])
    },
  )

  test.each<[string, (socket: net.Socket) => void, string]>([
    ['407', (socket) => socket.end('HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno'), 'unreachable'],
    [
      '403 and stays',
      (socket) => socket.write('HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno'),
      'unreachable',
    ],
    ['its end', (socket) => socket.end(), 'cut'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'cut'],
    ['another protocol than HTTP', (socket) => socket.end('SSH-2.0\r\n\r\n'), 'cut'],
    ['a tunnel that ends', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'cut'],
    [
      'a tunnel that speaks first',
      (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nSSH-2.0\r\n'),
      'unreachable',
    ],
    ['nothing', () => undefined, 'stalled'],
    ['a tunnel to nowhere', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'), 'stalled'],
  ])('that answers CONNECT with %s', async (_what, refuse, kind) => {
    const sockets: net.Socket[] = []
    const { port } = await tunnels((socket) => {
      sockets.push(socket)
      refuse(socket)
    })
    const connections = client({ proxy: `http://127.0.0.1:${port}`, idle: kind === 'stalled' ? 100 : 10_000 })
    expect(await outcome(get(connections, 'https://cache.test/'))).toBe(kind)
    await eventually(() => expect(sockets.map(({ closed }) => closed)).toEqual([true]))
  })

  test('whose tunnel is reset during a request, the request fails', async () => {
    const { port } = await tunnels((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.on('data', () => socket.resetAndDestroy())
    })
    const connections = client({ proxy: `http://127.0.0.1:${port}` })
    expect(await outcome(get(connections, 'https://cache.test/'))).toBe('cut')
  })

  test('that does not exist, a request is unreachable', async () => {
    const server = net.createServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    for (const url of ['http://cache.test/', 'https://cache.test/']) {
      expect(await outcome(get(client({ proxy: `http://127.0.0.1:${port}` }), url))).toBe('unreachable')
    }
  })

  test('an abort ends a tunnel that is being opened', async () => {
    const sockets: net.Socket[] = []
    const { port } = await tunnels((socket) => void sockets.push(socket))
    const stop = new AbortController()
    const connections = client({ proxy: `http://127.0.0.1:${port}` })
    const got = get(connections, 'https://cache.test/', { signal: stop.signal })
    await eventually(() => expect(sockets.length).toBe(1))
    stop.abort(new Error('rain'))
    await expect(got).rejects.toThrow('rain')
    await eventually(() => expect(sockets[0]?.closed).toBe(true))
  })

  test('a plain HTTP request is sent to the proxy, with the credentials', async () => {
    const proxy = await speaking((socket) => socket.write(wheat))
    const connections = client({ proxy: `http://farmer:hat@127.0.0.1:${proxy.port}` })
    expect(await outcome(get(connections, 'http://cache.test:8080/field?a=b', { vhost: 'other.test' }))).toBe(
      'wheat',
    )
    const [request = ''] = proxy.requests
    expect(request.split('\r\n').slice(0, 2)).toEqual([
      'GET http://cache.test:8080/field?a=b HTTP/1.1',
      'Host: cache.test:8080',
    ])
    expect(request).toContain(`Proxy-Authorization: Basic ${Buffer.from('farmer:hat').toString('base64')}`)
  })
})
