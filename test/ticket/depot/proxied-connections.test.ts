/** The HTTP client of the download through proxies. */
import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { certificate, client, get, listen, outcome, speaking, trust, wheat } from './connected.ts'
import { crop, secureFarm, tunnels } from './secure-farm.ts'

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
