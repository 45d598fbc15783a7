/** Many chat clients in one process, which resume after each loss of their connection and count missed lines. */
import { WebSocket } from 'ws'
import { serveSubject } from '../../../bench/measure.ts'

/** Several addresses are separated by commas: with each connection a client moves to the next. */
const [wsUrls = '', key = ''] = process.argv.slice(2)
const urls = wsUrls.split(',')
/** Maximum of concurrent handshakes: 20 clients of one address can be unauthenticated. */
const maxHandshakes = 10

interface Client {
  ws: WebSocket | undefined
  /** The number of its last line; 0 before the first. */
  last: number
  lines: number
  connections: number
  /** Whether it reads nothing. */
  isStalled: boolean
}

const clients: Client[] = []
const waiting: Client[] = []
const closings = new Map<string, number>()
let underWay = 0
let lost = 0
let twice = 0
let renumbered = 0
/** The text of each line by its number. */
const texts = new Map<number, string>()
let isLeaving = false

function connectNext(): void {
  while (underWay < maxHandshakes && waiting.length > 0) {
    const client = waiting.shift()
    if (client !== undefined) open(client)
  }
}

function open(client: Client): void {
  underWay += 1
  client.connections += 1
  const ws = new WebSocket(urls[client.connections % urls.length] ?? '', { perMessageDeflate: false })
  let isIn = false
  const decided = () => {
    if (!isIn) underWay -= 1
    isIn = true
  }
  ws.on('open', () => ws.send(JSON.stringify({ type: 'auth', payload: { token: key, since: client.last } })))
  ws.on('message', (data) => {
    const text = String(data)
    if (text.startsWith('{"type":"auth_success"')) {
      decided()
      client.ws = ws
      if (client.isStalled) ws.pause()
      connectNext()
    } else heard(client, text)
  })
  ws.on('error', () => undefined)
  ws.on('close', (code, reason) => {
    decided()
    client.ws = undefined
    if (isLeaving) return
    const kind = `${code} ${reason}`.trim()
    closings.set(kind, (closings.get(kind) ?? 0) + 1)
    setTimeout(() => {
      waiting.push(client)
      connectNext()
    }, 200)
  })
}

/** A client without a line yet sends `since` 0, and gets a `gap` for all lines before. */
function heard(client: Client, text: string): void {
  const gap = /^\{"type":"gap".*"to":(\d+)/.exec(text)
  const seq = Number((gap ?? /"seq":(\d+)/.exec(text))?.[1])
  if (!Number.isSafeInteger(seq)) return
  if (gap !== null) {
    if (client.last !== 0) lost += seq - client.last
  } else {
    client.lines += 1
    const message = /"message":"([^"]*)"/.exec(text)?.[1] ?? ''
    if ((texts.get(seq) ?? message) !== message) renumbered += 1
    texts.set(seq, message)
    if (client.last !== 0 && seq > client.last + 1) lost += seq - client.last - 1
    if (seq <= client.last) twice += 1
  }
  client.last = Math.max(client.last, seq)
}

const connected = () => clients.filter(({ ws }) => ws !== undefined)

serveSubject({
  /** @param stalled how many of them read nothing once they have authenticated */
  enter(count: number, stalled: number) {
    for (let at = 0; at < count; at += 1)
      clients.push({ ws: undefined, last: 0, lines: 0, connections: at, isStalled: at < stalled })
    waiting.push(...clients)
    connectNext()
  },
  connected: () => connected().length,
  /** Breaks the connections of every so many-th client. */
  cut(every: number, offset: number) {
    clients.forEach(({ ws }, at) => {
      if (at % every === offset % every) ws?.terminate()
    })
  },
  /** All clients read from now on. */
  resume() {
    for (const client of clients) {
      client.isStalled = false
      client.ws?.resume()
    }
  },
  /** `behind`: clients that have not received the newest line of any client. */
  report() {
    const newest = Math.max(...clients.map(({ last }) => last))
    return {
      lost,
      twice,
      renumbered: renumbered + texts.size - new Set(texts.values()).size,
      behind: clients.filter(({ last }) => last !== newest).length,
      connected: connected().length,
      lines: clients.reduce((sum, { lines }) => sum + lines, 0),
      closings: Object.fromEntries(closings),
    }
  },
  leave() {
    isLeaving = true
    for (const { ws } of clients) ws?.terminate()
  },
})
