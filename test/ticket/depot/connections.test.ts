/** The connections of the download's HTTP client, with real servers that are correct or faulty. */

import { getEventListeners, once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { certificate, trust } from '../../certificate.ts'
import { eventually } from '../../wait.ts'
import { client, get, listen, outcome, speaking, wheat } from './connected.ts'

describe('a connection', () => {
  test('is reused', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    const connections = client()
    for (let round = 0; round < 5; round++) expect(String(await get(connections, farm.url))).toBe('wheat')
    expect([farm.requests.length, farm.sockets.length]).toEqual([5, 1])
  })

  test('is reused after a refusal', async () => {
    const farm = await speaking((socket, number) =>
      socket.write(number === 1 ? 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno' : wheat),
    )
    const connections = client()
    await expect(get(connections, farm.url)).rejects.toMatchObject({
      kind: 'status',
      status: 404,
    })
    expect(String(await get(connections, farm.url))).toBe('wheat')
    expect(farm.sockets.length).toBe(1)
  })

  test('is not reused after Connection: close', async () => {
    const server = http.createServer((_request, response) => {
      response.writeHead(200, { connection: 'close', 'content-length': 5 }).end('wheat')
    })
    let opened = 0
    server.on('connection', () => {
      opened += 1
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    const connections = client()
    for (let round = 0; round < 3; round++) expect(String(await get(connections, url))).toBe('wheat')
    expect(opened).toBe(3)
  })

  test('is not reused for another host name', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    const connections = client()
    await get(connections, farm.url, { vhost: 'a.test' })
    await get(connections, farm.url, { vhost: 'b.test' })
    expect(farm.requests.map((text) => /Host: (.*)/.exec(text)?.[1])).toEqual(['a.test', 'b.test'])
    expect(farm.sockets.length).toBe(2)
  })

  test('that the server closed while idle causes no failure', async () => {
    const farm = await speaking((socket) => socket.end(wheat))
    const connections = client()
    for (let round = 0; round < 3; round++) {
      expect(String(await get(connections, farm.url))).toBe('wheat')
      await eventually(() => expect(farm.open()).toBe(0))
    }
    expect(farm.requests.length).toBe(3)
  })

  test.each<[string, (socket: net.Socket) => void]>([
    ['closes', (socket) => socket.destroy()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('that the server %s as the next request comes costs nothing', async (_how, end) => {
    const farm = await speaking((socket, number) => (number === 1 ? socket.write(wheat) : end(socket)))
    const connections = client()
    for (let round = 0; round < 4; round++) expect(String(await get(connections, farm.url))).toBe('wheat')
    expect(farm.sockets.length).toBe(4)
  })

  test('that is new and ends without a response is a failure of the server', async () => {
    const farm = await speaking((socket) => socket.destroy())
    expect(await outcome(get(client(), farm.url))).toBe('cut')
    expect(farm.sockets.length).toBe(1)
  })

  test('that ends during the response is an error, and the request is not sent again', async () => {
    const farm = await speaking((socket, number) =>
      number === 1 ? socket.write(wheat) : socket.end(wheat.slice(0, -2)),
    )
    const connections = client()
    await get(connections, farm.url)
    expect(await outcome(get(connections, farm.url))).toBe('cut')
    expect(farm.requests.length).toBe(2)
  })

  test('ends when bytes arrive without a request', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    await get(client(), farm.url)
    farm.sockets[0]?.write(wheat)
    await eventually(() => expect(farm.open()).toBe(0))
  })

  test.each([
    'Content-Length: 0\r\n\r\n!',
    'Content-Length: 1\r\n\r\nw!',
    'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n!',
  ])('ends when more bytes arrive than announced: %j', async (text) => {
    const farm = await speaking((socket) => socket.write(`HTTP/1.1 200 OK\r\n${text}`))
    const connections = client()
    for (let round = 0; round < 3; round++) await get(connections, farm.url)
    await eventually(() => expect(farm.open()).toBe(0))
    expect(farm.sockets.length).toBe(3)
  })

  test("ends when the caller refuses the length, with the caller's error", async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    const memory = (): Buffer => {
      throw new RangeError('too much')
    }
    await expect(get(client(), farm.url, { memory })).rejects.toThrow(new RangeError('too much'))
    await eventually(() => expect(farm.open()).toBe(0))
  })
})

describe('the pool of connections', () => {
  test('keeps at most its limit to several servers', async () => {
    const farms = await Promise.all(
      Array.from({ length: 5 }, () => speaking((socket) => socket.write(wheat))),
    )
    const connections = client({ count: 2 })
    for (const { url } of farms) await get(connections, url)
    await eventually(() => expect(farms.map(({ open }) => open())).toEqual([0, 0, 0, 1, 1]))
  })

  test('keeps at most its limit after more were used at once', async () => {
    const held: net.Socket[] = []
    const farm = await speaking((socket) => {
      held.push(socket)
      if (held.length === 6) for (const one of held) one.write(wheat)
    })
    const connections = client({ count: 2 })
    await Promise.all(Array.from({ length: 6 }, () => get(connections, farm.url)))
    await eventually(() => expect(farm.open()).toBe(2))
  })

  test('keeps no connection after a failure', async () => {
    const farm = await speaking((socket, _number, connection) => {
      const odd = ['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', 'SSH-2.0\r\n\r\n', `${wheat.slice(0, 20)}`]
      socket.write(odd[connection - 1] ?? '')
    })
    const connections = client({ idle: 1500 })
    for (const kind of ['cut', 'cut', 'stalled']) expect(await outcome(get(connections, farm.url))).toBe(kind)
    await eventually(() => expect(farm.open()).toBe(0))
  })
})

test('close ends running requests and kept connections, and later requests fail', async () => {
  const farm = await speaking((socket, number) => number === 1 && socket.write(wheat))
  const connections = client()
  await get(connections, farm.url)
  const got = outcome(get(connections, farm.url))
  connections.close()
  expect(await got).toBe('cut')
  await eventually(() => expect(farm.open()).toBe(0))
  expect(await outcome(get(connections, farm.url))).toBe('cut')
  expect(farm.sockets.length).toBe(1)
})

/** Sends a text so many characters at a time, a hundred times a second at most. */
function inPieces(text: string, size: number): (socket: net.Socket) => void {
  return (socket) => {
    let sent = 0
    const timer = setInterval(() => {
      socket.write(text.slice(sent, sent + size))
      sent += size
      if (sent >= text.length) clearInterval(timer)
    }, 10)
    socket.on('close', () => clearInterval(timer))
  }
}

describe('a request', () => {
  test.each<[string, string]>([
    ['without an answer', ''],
    ['that stops in the head', wheat.slice(0, 9)],
    ['that stops in the body', wheat.slice(0, -2)],
    ['that stops between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nw\r\n'],
    ['that stops in a body without end', 'HTTP/1.1 200 OK\r\n\r\nw'],
  ])('%s has stalled', async (_what, text) => {
    const farm = await speaking((socket) => socket.write(text))
    expect(await outcome(get(client({ idle: 50 }), farm.url))).toBe('stalled')
  })

  test('that takes far longer than others counts as stalled, although bytes arrive', async () => {
    const farm = await speaking((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n')
      const timer = setInterval(() => socket.write('w'), 5)
      socket.on('close', () => clearInterval(timer))
    })
    let looks = 0
    const tooSlow = () => ++looks > 10
    expect(await outcome(get(client({ idle: 100 }), farm.url, { tooSlow }))).toBe('stalled')
  })

  test('whose bytes arrive slowly but steadily does not count as stalled', async () => {
    const field = 'wheat'.repeat(400)
    const farm = await speaking(
      inPieces(`HTTP/1.1 200 OK\r\nContent-Length: ${field.length}\r\n\r\n${field}`, 40),
    )
    expect(await outcome(get(client({ idle: 2000 }), farm.url))).toBe(field)
  })

  test('whose bytes only trickle counts as stalled, so it cannot block a download', async () => {
    const farm = await speaking(
      inPieces(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${wheat.repeat(50)}`, 1),
    )
    expect(await outcome(get(client({ idle: 400 }), farm.url))).toBe('stalled')
  })

  test('with an aborted signal is not sent', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    const signal = AbortSignal.abort(new Error('rain'))
    await expect(get(client(), farm.url, { signal })).rejects.toThrow('rain')
    expect(farm.sockets.length).toBe(0)
  })

  test('that is aborted before it is connected ends with the signal’s reason', async () => {
    const stop = new AbortController()
    const farm = await speaking((socket) => socket.write(wheat))
    const got = get(client(), farm.url, { signal: stop.signal })
    stop.abort(new Error('rain'))
    await expect(got).rejects.toThrow('rain')
  })

  test.each(['http', 'https'])(
    'over %s that is aborted ends with the signal’s reason, and its memory is not written afterwards',
    async (protocol) => {
      const made = await certificate()
      trust(made)
      const sow = (_request: http.IncomingMessage, response: http.ServerResponse): void => {
        response.writeHead(200, { 'content-length': 2 ** 26 })
        const piece = Buffer.alloc(50_000, 'w')
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        }
        response.on('drain', more)
        more()
      }
      const server = protocol === 'http' ? http.createServer(sow) : https.createServer(made, sow)
      const port = await listen(server)
      const memory = Buffer.alloc(2 ** 26)
      const stop = new AbortController()
      const accepted = once(server, protocol === 'http' ? 'connection' : 'secureConnection')
      const got = get(client(), `${protocol}://127.0.0.1:${port}/`, {
        memory: () => memory,
        signal: stop.signal,
      })
      const [socket] = await accepted
      while (!memory.includes('w')) await new Promise(setImmediate)
      const closed = new Promise((resolve) => socket.on('close', resolve))
      stop.abort(new Error('rain'))
      memory.fill(0)
      await expect(got).rejects.toThrow('rain')
      await closed
      expect(memory.includes('w')).toBe(false)
    },
  )

  test('that is aborted by the callback that provides the memory leaves no open connection', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    const connections = client()
    const stop = new AbortController()
    const memory = (): Buffer => {
      stop.abort(new Error('rain'))
      return Buffer.alloc(5)
    }
    await expect(get(connections, farm.url, { memory, signal: stop.signal })).rejects.toThrow('rain')
    expect(await outcome(get(connections, farm.url))).toBe('wheat')
    expect(farm.sockets.length).toBe(2)
  })

  test('leaves no listener on the signal', async () => {
    const farm = await speaking((socket, number) => (number < 3 ? socket.write(wheat) : socket.destroy()))
    const { signal } = new AbortController()
    const connections = client()
    for (let round = 0; round < 5; round++) await outcome(get(connections, farm.url, { signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('to an unknown host or a closed port is unreachable', async () => {
    const server = net.createServer()
    const port = await listen(server)
    server.close()
    await once(server, 'close')
    expect(await outcome(get(client(), 'http://no-such-host.invalid/'))).toBe('unreachable')
    expect(await outcome(get(client(), `http://127.0.0.1:${port}/`))).toBe('unreachable')
    expect(await outcome(get(client(), `https://127.0.0.1:${port}/`))).toBe('unreachable')
  })

  test('that cannot be written fails at once, and no connection is opened for it', async () => {
    const farm = await speaking((socket) => socket.write(wheat))
    await expect(get(client(), farm.url, { vhost: 'two words' })).rejects.toThrow('Invalid URL')
    const proxy = `http://farmer:%hat@127.0.0.1:${new URL(farm.url).port}`
    await expect(get(client({ proxy }), farm.url)).rejects.toThrow('URI malformed')
    expect(farm.sockets.length).toBe(0)
  })
})
