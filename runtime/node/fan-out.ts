/**
 * Sends chat lines and events to all clients, in the same order to each.
 *
 * All messages are in one log; each client has a position in it. A line is encoded once, and a burst of lines is one
 * write for each client. A client whose socket is full is skipped until the socket drains; until then only its
 * position is kept. The loop over the clients is cut into slices of two milliseconds, so that thousands of clients
 * do not block the process.
 */
import type { Writable } from 'node:stream'
import type { Channel } from '../../handlers/chat/room-client.ts'
import type { Clock } from '../../lib/clock.ts'
import { textFrame } from './frame.ts'

interface Entry {
  readonly channel: Channel
  readonly frame: Buffer
}

export interface Listener {
  /** The client's connection. Only whole frames are written to it. */
  readonly socket: Writable
  /** Whether the WebSocket is open, so that frames may be written. */
  isOpen(): boolean
  /** Called when the client reads too slowly: close it. */
  tooSlow(): void
}

export interface FanOutOptions extends Pick<Clock, 'monotonic'> {
  /** Maximum of bytes that wait for one client. */
  readonly queueBytes?: number
  /** Milliseconds within which a client must read what waits in its socket. */
  readonly drainWithin?: number
}

class Member {
  readonly listener: Listener
  /** The channels of the client, each with the position in the log from which its messages are sent. */
  readonly channels = new Map<Channel, number>()
  /** The names of the channels as one text: members with equal texts and cursors get the same bytes. */
  name = ''
  /** The position from which messages of all its channels are sent. */
  hearsAllFrom = 0
  /** Position in the log of the next entry to send. */
  cursor: number
  /** The socket is full: the member is skipped until the socket drains. */
  isFull = false
  /** Since when bytes have waited in the socket; monotonic milliseconds. */
  waitingSince: number | undefined
  constructor(listener: Listener, cursor: number) {
    this.listener = listener
    this.cursor = cursor
  }
}

export type { Member }

/** Milliseconds of one slice. */
const slice = 2
/** The clock is read again after so many clients. */
const clientsPerClockRead = 32

export class FanOut {
  readonly #monotonic: () => number
  readonly #queueBytes: number
  readonly #drainWithin: number
  readonly #members = new Set<Member>()
  readonly #full = new Set<Member>()
  /** The newest entries. */
  #log: Entry[] = []
  /** Position of the first entry of `#log`. */
  #first = 0
  /** Bytes of the whole log; kept below `queueBytes`. */
  #logBytes = 0
  /** The members that the current pass has not served yet. */
  #pass: Iterator<Member> | undefined
  /** Position after the last entry that the current or last pass has sent to every member it could. */
  #sentTo = 0
  /** Something was published during the pass: another pass follows. */
  #again = false
  /** Frames to send, by cursor and channels; cleared when the log grows. */
  readonly #batches = new Map<string, readonly Buffer[]>()

  constructor({ monotonic, queueBytes = 1024 * 1024, drainWithin = 10_000 }: FanOutOptions) {
    this.#monotonic = monotonic
    this.#queueBytes = queueBytes
    this.#drainWithin = drainWithin
  }

  /** How many members there are. */
  get size(): number {
    return this.#members.size
  }

  /** Adds a client. Nothing is sent to it before `hear` sets its channels. */
  join(listener: Listener): Member {
    const member = new Member(listener, this.#end)
    this.#members.add(member)
    listener.socket.on('drain', () => this.#drained(member))
    return member
  }

  leave(member: Member): void {
    this.#members.delete(member)
    this.#full.delete(member)
  }

  /** Appends a message to the log and starts to send it to every member of the channel. */
  publish(channel: Channel, text: string): void {
    const frame = textFrame(text)
    this.#log.push({ channel, frame })
    this.#logBytes += frame.length
    this.#batches.clear()
    this.#flush()
  }

  /**
   * Sets the channels of a member. Of a new channel the member gets only later messages, even when its socket is full
   * and older entries of the log still wait for it.
   */
  hear(member: Member, channels: readonly Channel[]): void {
    for (const channel of member.channels.keys())
      if (!channels.includes(channel)) member.channels.delete(channel)
    for (const channel of channels) if (!member.channels.has(channel)) member.channels.set(channel, this.#end)
    member.name = [...member.channels.keys()].join()
    member.hearsAllFrom = Math.max(...member.channels.values())
  }

  /** Writes everything that a member did not get yet, even if its socket is full; call this before closing it. */
  finish(member: Member): void {
    member.isFull = false
    this.#serve(member)
  }

  /** Closes clients in whose sockets bytes have waited for `drainWithin`; call this about every second. */
  dropSlow(): void {
    const now = this.#monotonic()
    for (const member of this.#members) {
      if (member.listener.socket.writableLength === 0) member.waitingSince = undefined
      else {
        member.waitingSince ??= now
        if (now - member.waitingSince >= this.#drainWithin) this.#drop(member)
      }
    }
  }

  /** Call this after any write to a member's socket: skips the member from now on if the socket is full. */
  watch(member: Member): void {
    if (member.isFull || !member.listener.socket.writableNeedDrain) return
    member.isFull = true
    this.#full.add(member)
  }

  get #end(): number {
    return this.#first + this.#log.length
  }

  /** Starts a pass over all members. Messages published during a pass are sent together by the next one. */
  #flush(): void {
    if (this.#pass !== undefined) {
      this.#again = true
      return
    }
    this.#pass = this.#members.values()
    this.#sentTo = this.#end
    setImmediate(this.#slice)
  }

  readonly #slice = (): void => {
    const pass = this.#pass
    if (pass === undefined) return
    const began = this.#monotonic()
    for (let served = 1; ; served += 1) {
      const { done, value } = pass.next()
      if (done) break
      this.#serve(value)
      if (served % clientsPerClockRead === 0 && this.#monotonic() - began > slice) {
        setImmediate(this.#slice)
        return
      }
    }
    this.#pass = undefined
    this.#forgetSent()
    if (this.#again) {
      this.#again = false
      this.#flush()
    }
  }

  #serve(member: Member): void {
    if (member.isFull || member.cursor === this.#end) return
    const { socket } = member.listener
    if (!member.listener.isOpen()) return
    if (member.cursor < this.#first) {
      this.#drop(member)
      return
    }
    const batch = this.#batch(member)
    member.cursor = this.#end
    for (const frames of batch) socket.write(frames)
    this.watch(member)
  }

  #batch({ cursor, channels, name, hearsAllFrom }: Member): readonly Buffer[] {
    // Before `hearsAllFrom` the member skips entries of some channels, from positions that other members do not share.
    const key = cursor >= hearsAllFrom ? `${cursor}:${name}` : `${cursor}:${[...channels].join()}`
    let batch = this.#batches.get(key)
    if (batch === undefined) {
      const frames = this.#log
        .slice(cursor - this.#first)
        .filter(({ channel }, at) => cursor + at >= (channels.get(channel) ?? Number.POSITIVE_INFINITY))
        .map(({ frame }) => frame)
      batch = frames.length > 1 ? [Buffer.concat(frames)] : frames
      this.#batches.set(key, batch)
    }
    return batch
  }

  #drained(member: Member): void {
    member.isFull = false
    this.#full.delete(member)
    this.#serve(member)
  }

  #drop(member: Member): void {
    this.leave(member)
    member.listener.tooSlow()
  }

  /** Removes entries sent to all members, and the oldest beyond `queueBytes`; members that still need those are dropped. */
  #forgetSent(): void {
    // Members that the pass served early lack what was published during it.
    let oldest = this.#sentTo
    for (const { cursor } of this.#full) if (cursor < oldest) oldest = cursor
    let removed = Math.max(0, oldest - this.#first)
    let bytes = this.#logBytes
    for (let at = 0; at < removed; at += 1) bytes -= this.#log[at]?.frame.length ?? 0
    while (bytes > this.#queueBytes) {
      bytes -= this.#log[removed]?.frame.length ?? 0
      removed += 1
    }
    if (removed === 0) return
    this.#log = this.#log.slice(removed)
    this.#first += removed
    this.#logBytes = bytes
    for (const member of this.#full) if (member.cursor < this.#first) this.#drop(member)
  }
}
