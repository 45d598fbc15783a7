/**
 * Sends the farm's lines and events to every client, in the same order to each.
 *
 * There is one log of what was published; each client has a position in it. A line is encoded once, and a burst of
 * lines is one write for each client. A client whose socket is full is skipped until the socket drains; until then
 * it takes no memory but its position. The loop over the clients is cut into slices of a few milliseconds, so that
 * thousands of clients do not block the process.
 */
import type { Writable } from 'node:stream'
import type { Channel } from '../../handlers/chat/room-client.ts'
import { textFrame } from './frame.ts'

interface Entry {
  readonly channel: Channel
  readonly frame: Buffer
}

export interface Listener {
  /** The bytes of the connection; only whole frames are written to it. */
  readonly socket: Writable
  /** Frames may be written: the WebSocket is open. */
  isOpen(): boolean
  /** The client is too slow: tell it so and close. */
  tooSlow(): void
}

export interface FanOutOptions {
  /** Milliseconds on a clock that never runs backwards. */
  monotonic(): number
  /** Most bytes that wait for one client. */
  readonly queueBytes?: number
  /** Milliseconds that a client may take to drain. */
  readonly drainWithin?: number
}

class Member {
  readonly listener: Listener
  /** What it hears, and from which position in the log. */
  readonly channels = new Map<Channel, number>()
  /** Names the channels: members of one name and cursor are sent the same bytes. */
  name = ''
  /** From this position on it hears all of its channels. */
  hearsAllFrom = 0
  /** Position in the log of the next entry that it has not been sent. */
  cursor: number
  /** Its socket takes no more for now: it is passed over until it drains. */
  isFull = false
  /** Since when something has waited in its socket. */
  waitingSince: number | undefined
  constructor(listener: Listener, cursor: number) {
    this.listener = listener
    this.cursor = cursor
  }
}

export type { Member }

/** Milliseconds of one slice, and how many clients are served between two looks at the clock. */
const slice = 4
const stride = 32

export class FanOut {
  readonly #monotonic: () => number
  readonly #queueBytes: number
  readonly #drainWithin: number
  readonly #members = new Set<Member>()
  readonly #full = new Set<Member>()
  /** The newest entries; `#first` is the position of its first one. */
  #log: Entry[] = []
  #first = 0
  /** Bytes of the whole log: how far a cursor may fall behind. */
  #logBytes = 0
  #pass: Iterator<Member> | undefined
  #again = false
  /** Joined frames of one stretch for one set of channels; valid until the log grows. */
  readonly #batches = new Map<string, readonly Buffer[]>()

  constructor({ monotonic, queueBytes = 1024 * 1024, drainWithin = 10_000 }: FanOutOptions) {
    this.#monotonic = monotonic
    this.#queueBytes = queueBytes
    this.#drainWithin = drainWithin
  }

  get size(): number {
    return this.#members.size
  }

  /** The member hears nothing before `hear` says what. */
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

  /** Puts a message at the log's end and sees that everybody hears it. */
  publish(channel: Channel, text: string): void {
    const frame = textFrame(text)
    this.#log.push({ channel, frame })
    this.#logBytes += frame.length
    this.#batches.clear()
    this.#flush()
  }

  /**
   * Says which channels a member hears. Of one that it did not hear before it is sent only what is published from
   * now on, also when its socket is full and older entries still wait for it.
   */
  hear(member: Member, channels: readonly Channel[]): void {
    for (const channel of member.channels.keys())
      if (!channels.includes(channel)) member.channels.delete(channel)
    for (const channel of channels) if (!member.channels.has(channel)) member.channels.set(channel, this.#end)
    member.name = [...member.channels.keys()].join()
    member.hearsAllFrom = Math.max(...member.channels.values())
  }

  /** Writes everything that a client has not been sent yet, also when its socket is full; for use before it is closed. */
  finish(member: Member): void {
    member.isFull = false
    this.#serve(member)
  }

  /** Closes clients in whose sockets something has waited too long; call it every second or so. */
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

  /** Passes a client over while its socket is full, whoever filled it. */
  watch(member: Member): void {
    if (member.isFull || !member.listener.socket.writableNeedDrain) return
    member.isFull = true
    this.#full.add(member)
  }

  get #end(): number {
    return this.#first + this.#log.length
  }

  /** One pass at a time; lines that come during it are told by the next, together. */
  #flush(): void {
    if (this.#pass !== undefined) {
      this.#again = true
      return
    }
    this.#pass = this.#members.values()
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
      if (served % stride === 0 && this.#monotonic() - began > slice) {
        setImmediate(this.#slice)
        return
      }
    }
    this.#pass = undefined
    this.#forgetHeard()
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
    // A member that has yet to be sent what it hears in part is sent bytes of its own.
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

  /** Keeps what somebody still has to hear, up to the queue's limit; who is further behind is dropped. */
  #forgetHeard(): void {
    let oldest = this.#end
    for (const { cursor } of this.#full) if (cursor < oldest) oldest = cursor
    let heard = Math.max(0, oldest - this.#first)
    let bytes = this.#logBytes
    for (let at = 0; at < heard; at += 1) bytes -= this.#log[at]?.frame.length ?? 0
    while (bytes > this.#queueBytes) {
      bytes -= this.#log[heard]?.frame.length ?? 0
      heard += 1
    }
    if (heard === 0) return
    this.#log = this.#log.slice(heard)
    this.#first += heard
    this.#logBytes = bytes
    for (const member of this.#full) if (member.cursor < this.#first) this.#drop(member)
  }
}
