/** A request of the download's HTTP client: its time limits, its abort, and unreachable hosts. */
import { getEventListeners, once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { certificate, client, get, listen, outcome, speaking, trust, wheat } from './connected.ts'

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
