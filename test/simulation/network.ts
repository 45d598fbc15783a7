/**
 * A network of byte streams: bytes of one connection keep their order, and everything else may happen to them. Its
 * ends are streams of Node, so the real HTTP and WebSocket libraries run over it.
 */

import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Random } from '../../bridges/simulated/random.ts'
import { Program, type VirtualTime } from './virtual-time.ts'

/**
 * `reset`: both ends learn it. `vanish`: bytes of both directions are lost, and no end learns it. `deaf`: one direction
 * is lost. `close`: a middlebox ends one direction. `half`: one end gets a reset, and the other learns nothing.
 */
export const cuts = ['reset', 'vanish', 'deaf', 'close', 'half'] as const
export type Cut = (typeof cuts)[number]

const resetError = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const refusedError = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

/** One end of a connection; of a socket of Node it has what the libraries use. */
class End extends Duplex {
  readonly connection: Connection
  readonly program: Program
  readonly remoteAddress: string
  peer: End | undefined
  /** When the last of what it has sent arrives. */
  lastArrival = 0
  /** What it sends is lost. */
  isLost = false

  constructor(connection: Connection, program: Program, remoteAddress: string, allowHalfOpen: boolean) {
    super({ allowHalfOpen })
    this.connection = connection
    this.program = program
    this.remoteAddress = remoteAddress
    program.atEnd(() => connection.programEnded(this))
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.connection.carry(this, (peer) => peer.push(chunk), done)
  }

  override _final(done: () => void): void {
    this.connection.carry(this, (peer) => peer.push(null))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // A peer that sends more gets a reset then.
    if (!this.writableFinished) this.connection.carry(this, (peer) => peer.destroy(resetError()))
    done(error)
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  resetAndDestroy(): void {
    this.destroy()
  }

  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

export class Connection {
  readonly from: string
  readonly to: string
  readonly #network: Network
  readonly ends: End[] = []
  /** Until when nothing arrives, by the elapsed time. */
  stalledUntil = 0

  constructor(network: Network, from: string, to: string) {
    this.#network = network
    this.from = from
    this.to = to
  }

  get isOpen(): boolean {
    return this.ends.some((end) => !end.destroyed && end.program.isAlive)
  }

  /**
   * Brings something to the other end, after all that was sent before.
   * @param done called when the system has taken it: at once, unless the connection is stalled or lost
   */
  carry(from: End, deliver: (peer: End) => void, done?: () => void): void {
    const { time, latency } = this.#network
    if (from.isLost) return
    const isStalled = this.stalledUntil > time.elapsed
    if (!isStalled) done?.()
    const at = Math.max(from.lastArrival, Math.max(time.elapsed, this.stalledUntil) + latency())
    from.lastArrival = at
    const { peer } = from
    if (peer === undefined) return
    time.after(
      at - time.elapsed,
      () => {
        if (from.isLost) return
        if (peer.program.isAlive && !peer.destroyed) peer.program.run(() => deliver(peer))
        else if (from.program.isAlive && !from.destroyed) from.program.run(() => from.destroy(resetError()))
        if (isStalled && from.program.isAlive && done !== undefined) from.program.run(done)
      },
      this.#network.program,
    )
  }

  /** The system closes the sockets of a process that has ended. */
  programEnded(end: End): void {
    if (!end.destroyed) this.carry(end, (peer) => peer.destroy(resetError()))
  }

  /** @param isFromClient which end is struck first, or alone */
  cut(how: Cut, isFromClient: boolean): void {
    const [first, second] = isFromClient ? this.ends : [...this.ends].reverse()
    if (first === undefined || second === undefined) return
    const reset = (end: End) => {
      if (!end.destroyed && end.program.isAlive) end.program.run(() => end.destroy(resetError()))
    }
    if (how === 'close') this.carry(first, (peer) => peer.push(null))
    if (how === 'deaf') first.isLost = true
    if (how === 'close' || how === 'deaf') return
    first.isLost = true
    second.isLost = true
    if (how !== 'vanish') reset(first)
    if (how === 'reset') reset(second)
  }
}

type Accept = (socket: Socket) => void

export class Network {
  readonly time: VirtualTime
  /** Its own events belong to no process. */
  readonly program = new Program('network')
  readonly #random: Random
  readonly #servers = new Map<string, { readonly accept: Accept; readonly program: Program }>()
  #connections: Connection[] = []

  constructor(time: VirtualTime, random: Random) {
    this.time = time
    this.#random = random
  }

  readonly latency = (): number => this.#random.whole(1, this.#random.chance(0.1) ? 400 : 20)

  /** The current program listens at a name from now on. */
  listen(name: string, accept: Accept): void {
    const program = Program.current
    if (program === undefined) throw new Error('only a program listens')
    this.#servers.set(name, { accept, program })
  }

  /** For a server of Node, which then listens at no port. */
  readonly serve =
    (name: string) =>
    (server: Server): AddressInfo => {
      this.listen(name, (socket) => server.emit('connection', socket))
      return { address: name, family: 'IPv4', port: 80 }
    }

  /** Connects the current program. */
  connect(to: string): Socket {
    const program = Program.current
    if (program === undefined) throw new Error('only a program connects')
    const connection = new Connection(this, program.name, to)
    this.#connections = [...this.#connections.filter(({ isOpen }) => isOpen), connection]
    const client = new End(connection, program, '192.0.2.2', false)
    const server = this.#servers.get(to)
    if (server?.program.isAlive === true) {
      const end = new End(connection, server.program, '192.0.2.7', true)
      end.peer = client
      client.peer = end
      connection.ends.push(client, end)
      client.lastArrival = this.time.elapsed + this.latency()
      const arrives = client.lastArrival - this.time.elapsed
      // A connection that ends before it is accepted never reaches the program.
      const unaccepted = () => undefined
      end.on('error', unaccepted)
      const accept = () => {
        end.off('error', unaccepted)
        if (!end.destroyed) server.accept(end as unknown as Socket)
      }
      this.time.after(arrives, accept, server.program)
    } else this.time.after(this.latency(), () => client.destroy(refusedError()))
    return client as unknown as Socket
  }

  /** Strikes a connection, from one of its sides. */
  cut(connection: Connection, how: Cut): void {
    connection.cut(how, this.#random.chance(0.5))
  }

  /** The open connections that a program has opened. */
  of(program: Program): readonly Connection[] {
    return this.#connections.filter((one) => one.isOpen && one.ends[0]?.program === program)
  }

  /** The open connections from programs of a name to another one. */
  between(from: string, to: string): readonly Connection[] {
    return this.#connections.filter((one) => one.isOpen && one.from === from && one.to === to)
  }

  /** From now on nothing is lost any more: connections on which something was lost end for both. */
  heal(): void {
    for (const { ends } of this.#connections)
      if (ends.some(({ isLost }) => isLost))
        for (const end of ends)
          if (!end.destroyed && end.program.isAlive) end.program.run(() => end.destroy(resetError()))
  }
}
