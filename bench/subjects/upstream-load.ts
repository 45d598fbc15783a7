/** Clients that poll once a second, and clients that listen to the chat. */
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { serveSubject } from '../measure.ts'

interface Server {
  readonly port: number
  readonly key: string
}

const agent = new Agent({ keepAlive: true })
const now = () => performance.timeOrigin + performance.now()

const ask = ({ port, key }: Server, path: string) =>
  new Promise<void>((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port, path, agent, headers: { authorization: `Bearer ${key}` } },
      (response) => {
        response.resume()
        response.on('end', resolve)
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
      },
    )
    request.on('error', reject)
  })

/** Each client requests each path once a second; the clients are spread over the second. @returns the number of answers */
async function poll(server: Server, paths: readonly string[], clients: number, seconds: number) {
  let answers = 0
  const one = async (client: number) => {
    await delay((client * 1000) / clients)
    for (let second = 0; second < seconds; second += 1) {
      const next = delay(1000)
      for (const path of paths) await ask(server, path).then(() => (answers += 1))
      await next
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)))
  return answers
}

/** When each line arrived, milliseconds since 1970: a list for each line in the order of saying, a number for each client. */
let arrivals: number[][] = []
let sockets: WebSocket[] = []
const isChat = (bytes: Buffer) => bytes.subarray(9, 13).equals(chat)
const chat = Buffer.from('chat')

async function listen({ port, key }: Server, clients: number): Promise<void> {
  for (let client = 0; client < clients; client += 1) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false })
    const { promise, resolve } = Promise.withResolvers<void>()
    let line = 0
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', payload: { token: key } })))
    socket.on('message', (bytes: Buffer) => {
      if (!isChat(bytes)) return resolve()
      const times = arrivals[line] ?? []
      arrivals[line] = times
      times.push(now())
      line += 1
    })
    sockets.push(socket)
    await promise
  }
}

serveSubject({
  poll,
  listen,
  /** Disconnects all clients. @returns the arrivals since `listen` */
  leave() {
    for (const socket of sockets) socket.terminate()
    const received = arrivals
    arrivals = []
    sockets = []
    return received
  },
})
