/**
 * What Cloudflare gives an object: the base class of `cloudflare:workers`, storage on SQLite, an alarm, and WebSockets
 * that outlive it. The object itself is the real one.
 */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { getRequestListener } from '@hono/node-server'
import { type WebSocket as NodeSocket, WebSocketServer } from 'ws'
import { Program, type VirtualTime } from './virtual-time.ts'

export class DurableObject {
  readonly ctx: unknown
  readonly env: unknown
  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx
    this.env = env
  }
}

/** What the platform calls of an object. */
interface RealObject {
  fetch(request: Request): Promise<Response>
  webSocketMessage(socket: ObjectSocket, message: string | ArrayBuffer): Promise<void>
  webSocketClose(socket: ObjectSocket, code: number): Promise<void>
  alarm(): Promise<void>
}

export type ObjectClass = new (ctx: unknown, env: object) => RealObject

class RequestResponsePair {
  readonly request: string
  readonly response: string
  constructor(request: string, response: string) {
    this.request = request
    this.response = response
  }
}

/** The object's end of a WebSocket. */
class ObjectSocket {
  readyState = 1
  tags: readonly string[] = []
  answeredAt: Date | null = null
  #front: NodeSocket | undefined
  #early: string[] = []
  #attachment: unknown = null

  /** The connection is made. */
  attach(front: NodeSocket): void {
    this.#front = front
    for (const text of this.#early) front.send(text)
    this.#early = []
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.readyState = 3
    this.#front?.terminate()
  }

  send(text: string): void {
    if (this.readyState !== 1) throw new TypeError("Can't call WebSocket send() after close().")
    if (this.#front === undefined) this.#early.push(text)
    else this.#front.send(text)
  }

  close(code: number, reason = ''): void {
    if (this.readyState >= 2) return
    this.readyState = 2
    this.#front?.close(code, reason)
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value)
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment)
  }
}

class SocketPair {
  readonly 0: { readonly server: ObjectSocket }
  readonly 1: ObjectSocket
  constructor() {
    this[1] = new ObjectSocket()
    this[0] = { server: this[1] }
  }
}

/** Puts what a Worker finds among its globals there. */
export function installPlatform(): void {
  // The adapter of Node's server puts its own `Response` there when it is first used.
  getRequestListener(() => new Response())
  const { Response } = globalThis
  Object.defineProperty(globalThis, 'Response', {
    writable: true,
    configurable: true,
    value: new Proxy(Response, {
      construct(target, [body, init], self) {
        if (init?.status !== 101) return Reflect.construct(target, [body, init], self)
        // Node makes none of this status.
        const upgraded: Response = Reflect.construct(target, [null, { ...init, status: 200 }], self)
        Object.defineProperty(upgraded, 'status', { value: 101 })
        Object.defineProperty(upgraded, 'webSocket', { value: init.webSocket })
        return upgraded
      },
    }),
  })
  Object.assign(globalThis, {
    WebSocketPair: SocketPair,
    WebSocketRequestResponsePair: RequestResponsePair,
    WebSocket: { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 },
  })
}

/** SQLite as an object has it; a value that is bytes is an `ArrayBuffer`. */
function sqlStorage(isAlive: () => boolean) {
  const db = new DatabaseSync(':memory:')
  const prepared = new Map<string, StatementSync>()
  const given = (value: unknown) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value)
  const found = (value: unknown) =>
    value instanceof Uint8Array
      ? value.buffer.slice(value.byteOffset, value.byteOffset + value.length)
      : value
  return {
    exec(statement: string, ...values: unknown[]) {
      if (!isAlive()) throw new Error('the object has ended')
      let one = prepared.get(statement)
      if (one === undefined) {
        one = db.prepare(statement)
        prepared.set(statement, one)
      }
      return one
        .all(...(values.map(given) as (string | number | null | Uint8Array)[]))
        .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, found(value)])))
    },
  }
}

/** One object, with what the platform keeps of it. */
export class ObjectHost {
  readonly #class: ObjectClass
  readonly #env: object
  readonly #time: VirtualTime
  readonly #front = Program.current
  readonly #onError: (error: unknown) => void
  readonly #sql = sqlStorage(() => Program.current?.isAlive !== false)
  readonly #values = new Map<string, unknown>()
  readonly #webSockets = new WebSocketServer({ noServer: true, clientTracking: false })
  #sockets: ObjectSocket[] = []
  #autoResponse: RequestResponsePair | undefined
  #alarmAt: number | null = null
  #cancelAlarm = () => {}
  #awake: { readonly program: Program; readonly object: RealObject } | undefined
  #underWay = 0

  /** @param onError called with what the object throws */
  constructor(real: ObjectClass, env: object, time: VirtualTime, onError: (error: unknown) => void) {
    this.#class = real
    this.#env = env
    this.#time = time
    this.#onError = onError
  }

  fetch(request: Request): Promise<Response> {
    return this.#enter((object) => object.fetch(request))
  }

  /** Opens the WebSocket of a response with status 101. */
  upgrade(response: Response, request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { server } = Reflect.get(response, 'webSocket') as SocketPair[0]
    this.#webSockets.handleUpgrade(request, socket, head, (front) => {
      front.on('message', (data: Buffer, isBinary) => this.#received(server, data, isBinary, front))
      front.on('error', () => undefined)
      front.on('close', (code) => this.#closed(server, code))
      server.attach(front)
    })
  }

  /** Its memory is dropped while its sockets stay open. @returns false while it is busy */
  hibernate(): boolean {
    const awake = this.#awake
    if (awake === undefined || this.#underWay > 0 || awake.program.waiting > 0) return false
    this.#drop()
    return true
  }

  /** Its memory is lost with all its connections, as when its machine ends. */
  crash(): void {
    this.#drop()
    const sockets = this.#sockets
    this.#sockets = []
    for (const socket of sockets) socket.terminate()
  }

  #drop(): void {
    const awake = this.#awake
    this.#awake = undefined
    this.#underWay = 0
    awake?.program.end()
  }

  #received(server: ObjectSocket, data: Buffer, isBinary: boolean, front: NodeSocket): void {
    if (!this.#sockets.includes(server)) return
    const text = isBinary ? undefined : data.toString()
    if (text !== undefined && text === this.#autoResponse?.request) {
      server.answeredAt = new Date(this.#time.now())
      front.send(this.#autoResponse.response)
      return
    }
    const message = text ?? new Uint8Array(data).buffer
    void this.#enter((object) => object.webSocketMessage(server, message)).catch(this.#failed)
  }

  #closed(server: ObjectSocket, code: number): void {
    if (!this.#sockets.includes(server)) return
    if (server.readyState === 1) server.readyState = 2
    void this.#enter((object) => object.webSocketClose(server, code)).catch(this.#failed)
    server.readyState = 3
    this.#sockets = this.#sockets.filter((one) => one !== server)
  }

  readonly #failed = (error: unknown) => this.#onError(error)

  #enter<Result>(work: (object: RealObject) => Promise<Result>): Promise<Result> {
    const awake = this.#awake ?? this.#wake()
    this.#awake = awake
    this.#underWay += 1
    return awake.program
      .run(() => work(awake.object))
      .finally(() => {
        if (this.#awake === awake) this.#underWay -= 1
      })
  }

  #wake() {
    const program = new Program('edge')
    return { program, object: program.run(() => new this.#class(this.#context(program), this.#env)) }
  }

  #context(program: Program) {
    const time = this.#time
    const values = this.#values
    const alarm = () => {
      this.#alarmAt = null
      void this.#enter((object) => object.alarm()).catch(this.#failed)
    }
    const setAlarm = (at: number | null) => {
      this.#cancelAlarm()
      this.#alarmAt = at
      if (at !== null) this.#cancelAlarm = time.after(at - time.now(), alarm, this.#front)
    }
    const ifAlive =
      <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
      (...args: Args): Result => {
        if (!program.isAlive) throw new Error('the object has ended')
        return call(...args)
      }
    return {
      id: { name: 'default', equals: () => true },
      storage: {
        sql: this.#sql,
        kv: {
          get: (name: string) => values.get(name),
          put: ifAlive((name: string, value: unknown) => void values.set(name, structuredClone(value))),
          delete: ifAlive((name: string) => values.delete(name)),
          list: () => values.entries(),
        },
        getAlarm: async () => this.#alarmAt,
        setAlarm: ifAlive(async (at: number) => setAlarm(at)),
      },
      getWebSockets: (tag: string) => this.#sockets.filter(({ tags }) => tags.includes(tag)),
      acceptWebSocket: ifAlive((socket: ObjectSocket, tags: readonly string[]) => {
        socket.tags = tags
        this.#sockets.push(socket)
      }),
      setWebSocketAutoResponse: (pair: RequestResponsePair) => {
        this.#autoResponse = pair
      },
      getWebSocketAutoResponseTimestamp: (socket: ObjectSocket) => socket.answeredAt,
    }
  }
}
