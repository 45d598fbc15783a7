/** HTTP load: keep-alive connections, each of which sends the next request right after an answer. */
import { connect, type Socket } from 'node:net'
import { serveSubject } from '../measure.ts'

interface Load {
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly requests: number
  readonly method?: string
  /** With its query. */
  readonly path?: string
}

/** Sends requests until all are answered. @returns the milliseconds that it took */
async function run({
  port,
  key,
  connections,
  requests,
  method = 'GET',
  path = '/players',
}: Load): Promise<number> {
  const request = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`
  let left = requests
  const began = performance.now()
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect(port, '127.0.0.1')
      let seen = ''
      const ask = () => {
        if (left === 0) {
          socket.destroy()
          resolve()
          return
        }
        left -= 1
        socket.write(request)
      }
      socket.setEncoding('latin1')
      socket.on('connect', ask)
      socket.on('error', reject)
      socket.on('data', (chunk: string) => {
        seen += chunk
        const head = seen.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = Number(/content-length: (\d+)/i.exec(seen)?.[1])
        if (seen.length < head + 4 + length) return
        if (!seen.startsWith('HTTP/1.1 200')) reject(new Error(seen.slice(0, 200)))
        seen = ''
        ask()
      })
    })
  // Keeps this process busy, so that its wake-up time does not count as time of the server.
  let awake = true
  const stayAwake = () => {
    if (awake) setImmediate(stayAwake)
  }
  stayAwake()
  await Promise.all(Array.from({ length: connections }, one))
  awake = false
  return performance.now() - began
}

serveSubject({ run })
