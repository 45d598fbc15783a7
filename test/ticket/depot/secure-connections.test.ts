/** The HTTP client of the download over TLS. */
import https from 'node:https'
import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { certificate, client, get, listen, outcome, speaking, trust, wheat } from './connected.ts'
import { child, crop, secureFarm, tunnels } from './secure-farm.ts'

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
