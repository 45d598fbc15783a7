/** Many chat clients in one process, which resume after each loss of their connection and count missed lines. */
import { WebSocket } from 'ws'
import { serveSubject } from '../../../bench/measure.ts'

/** The clients of one farm. */
interface Room {
  /** With each connection a client moves to the next. */
  readonly urls: readonly string[]
  readonly key: string
  readonly waiting: Client[]
  underWay: number
  /** The text of each line by its number. */
  readonly texts: Map<number, string>
}

const newRoom = (wsUrls: string, key: string): Room => ({
  urls: wsUrls.split(','),
  key,
  waiting: [],
  underWay: 0,
  texts: new Map(),
})

/** Several addresses are separated by commas. */
const [wsUrls = '', key = ''] = process.argv.slice(2)
const rooms = wsUrls === '' ? [] : [newRoom(wsUrls, key)]
/** Maximum of concurrent handshakes of a farm: 20 clients of one address can be unauthenticated. */
const maxHandshakes = 10

interface Client {
  readonly room: Room
  ws: WebSocket | undefined
  /** The number of its last line; 0 before the first. */
  last: number
  lines: number
  connections: number
  /** Whether it reads nothing. */
  isStalled: boolean
}

const clients: Client[] = []
const closings = new Map<string, number>()
/** How attempts and connections ended, with their port, since this was last read. */
let endings: [port: string, how: string][] = []
/** The texts that farms have confirmed. */
const confirmed: string[] = []
let lost = 0
let twice = 0
let renumbered = 0
let isLeaving = false

function connectNext(room: Room): void {
  while (room.underWay < maxHandshakes && room.waiting.length > 0) {
    const client = room.waiting.shift()
    if (client !== undefined) open(client)
  }
}

function open(client: Client): void {
  const { room } = client
  room.underWay += 1
  client.connections += 1
  const url = room.urls[client.connections % room.urls.length] ?? ''
  const ws = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: 30_000 })
  let isIn = false
  let failure: string | undefined
  const decided = () => {
    if (!isIn) room.underWay -= 1
    isIn = true
  }
  ws.on('open', () => {
    ws.send(JSON.stringify({ type: 'auth', payload: { token: room.key, since: client.last } }))
  })
  ws.on('message', (data) => {
    const text = String(data)
    if (text.startsWith('{"type":"auth_success"')) {
      decided()
      client.ws = ws
      if (client.isStalled) ws.pause()
      connectNext(room)
    } else if (text.startsWith('{"type":"chat_sent"')) confirmed.push(JSON.parse(text).payload.id)
    else heard(client, text)
  })
  ws.on('unexpected-response', (_request, { statusCode, headers }) => {
    failure = `${statusCode}${headers['retry-after'] === undefined ? '' : ' with Retry-After'}`
    ws.terminate()
  })
  ws.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= error.code ?? error.message
  })
  ws.on('close', (code, reason) => {
    decided()
    client.ws = undefined
    if (isLeaving) return
    const kind = failure ?? `${code} ${reason}`.trim()
    closings.set(kind, (closings.get(kind) ?? 0) + 1)
    endings.push([new URL(url).port, kind])
    setTimeout(() => {
      room.waiting.push(client)
      connectNext(room)
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
    const { texts } = client.room
    const message = /"message":"([^"]*)"/.exec(text)?.[1] ?? ''
    if ((texts.get(seq) ?? message) !== message) renumbered += 1
    texts.set(seq, message)
    if (client.last !== 0 && seq > client.last + 1) lost += seq - client.last - 1
    if (seq <= client.last) twice += 1
  }
  client.last = Math.max(client.last, seq)
}

const connected = () => clients.filter(({ ws }) => ws !== undefined)

function enter(room: Room, number: number, stalled = 0): void {
  for (let at = 0; at < number; at += 1) {
    const client = { room, ws: undefined, last: 0, lines: 0, connections: at, isStalled: at < stalled }
    clients.push(client)
    room.waiting.push(client)
  }
  connectNext(room)
}

serveSubject({
  /** @param stalled how many of them read nothing once they have authenticated */
  enter(number: number, stalled: number) {
    for (const room of rooms) enter(room, number, stalled)
  },
  /** Clients of another farm; later ones than the first of a farm have no lines yet. */
  visit(urlsOfRoom: string, keyOfRoom: string, number: number) {
    let room = rooms.find(({ key: known }) => known === keyOfRoom)
    if (room === undefined) {
      room = newRoom(urlsOfRoom, keyOfRoom)
      rooms.push(room)
    }
    enter(room, number)
  },
  /** One client of each farm sends a line with its number, which is its id and its text. */
  send(turn: number) {
    for (const [at, room] of rooms.entries()) {
      const ws = clients.findLast((client) => client.room === room && client.ws !== undefined)?.ws
      const id = `${at}.${turn}`
      ws?.send(JSON.stringify({ type: 'chat_send', payload: { author: 'Web', message: id, id } }))
    }
  },
  confirmed: () => confirmed,
  endings() {
    const all = endings
    endings = []
    return all
  },
  /** The lines that every farm's clients have received, by their numbers. */
  texts: () => rooms.map(({ texts }) => [...texts].sort(([a], [b]) => a - b).map(([, text]) => text)),
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
    const newest = new Map<Room, number>()
    for (const { room, last } of clients) newest.set(room, Math.max(newest.get(room) ?? 0, last))
    const doubled = rooms.reduce((sum, { texts }) => sum + texts.size - new Set(texts.values()).size, 0)
    return {
      lost,
      twice,
      renumbered: renumbered + doubled,
      behind: clients.filter(({ last, room }) => last !== newest.get(room)).length,
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
