/** The clients of the chat benchmark: raw sockets that authenticate and count the lines that arrive. */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { serveSubject } from '../measure.ts'

interface Crowd {
  readonly port: number
  readonly key: string
  readonly clients: number
  /** How many of them stop reading once they have authenticated. */
  readonly stalled: number
}

let sockets: Socket[] = []
/** Bytes of one line's frame; 0 while lines are not counted. */
let lineBytes = 0
let expected = 0
let delivered = 0
/** When each line arrived, milliseconds since 1970: a list for each line, with one number for each client. */
let arrivals: number[][] = []
let whole = Promise.withResolvers<void>()

const now = () => performance.timeOrigin + performance.now()

/** A client's text frame of up to 125 bytes, with a mask of zeros. */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}

function enter({ port, key }: Crowd, isStalled: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let upgraded = false
    let bytes = 0
    socket.on('error', reject)
    socket.on('connect', () =>
      socket.write(
        `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      ),
    )
    socket.on('data', (chunk: Buffer) => {
      if (!upgraded) {
        upgraded = true
        socket.write(maskedFrame(JSON.stringify({ type: 'auth', payload: { token: key } })))
        sockets.push(socket)
        if (isStalled) socket.pause()
        resolve()
        return
      }
      if (lineBytes === 0) return
      const at = now()
      const before = Math.floor(bytes / lineBytes)
      bytes += chunk.length
      const after = Math.floor(bytes / lineBytes)
      for (let line = before; line < after; line += 1) {
        const times = arrivals[line] ?? []
        arrivals[line] = times
        times.push(at)
      }
      delivered += after - before
      if (delivered === expected) whole.resolve()
    })
  })
}

serveSubject({
  async enter(crowd: Crowd) {
    sockets = []
    lineBytes = 0
    for (let done = 0; done < crowd.clients; ) {
      const next = Math.min(20, crowd.clients - done)
      await Promise.all(Array.from({ length: next }, (_, at) => enter(crowd, done + at < crowd.stalled)))
      done += next
    }
    // Waits for the answers to the handshakes and to `auth`, which are not counted as lines.
    await delay(500)
  },
  /** From now on, counts a line for each `bytes` bytes that a client receives. */
  count(bytes: number) {
    lineBytes = bytes
  },
  expect(lines: number) {
    expected = lines
    delivered = 0
    whole = Promise.withResolvers()
  },
  async arrived(within: number) {
    await Promise.race([whole.promise, delay(within)])
    return delivered
  },
  arrivals: () => arrivals,
  leave() {
    for (const socket of sockets) socket.destroy()
    arrivals = []
  },
})
