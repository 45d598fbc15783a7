/** A client of `/ws`, which connects again after each loss. */
import { WebSocket } from 'ws'
import type { Random } from '../../bridges/simulated/random.ts'
import { Broken, type Model, type Place } from './model.ts'
import type { Network } from './network.ts'
import { Program, type VirtualTime } from './virtual-time.ts'

interface ClientParts {
  readonly name: string
  /** Whether it names the last line that it has when it connects again. */
  readonly usesSince: boolean
  readonly place: Place
  readonly key: string
  readonly time: VirtualTime
  readonly random: Random
  readonly network: Network
  readonly model: Model
  readonly trace: (text: string) => void
  readonly onBroken: (error: unknown) => void
}

interface Message {
  readonly type: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** Milliseconds between two pings, and until one is answered. */
const pingEvery = 20_000
const answersWithin = 10_000

export class ChatClient {
  readonly name: string
  readonly program: Program
  readonly #parts: ClientParts
  /** Where it connects next. */
  place: Place
  #ws: WebSocket | undefined
  #isIn = false
  /** One more than the last number that it knows of. */
  #next = 1
  readonly #waiting = new Map<string, string>()
  #heardAt = 0
  #sent = 0

  constructor(parts: ClientParts) {
    this.#parts = parts
    this.name = parts.name
    this.place = parts.place
    this.program = new Program('client')
    this.program.run(() => {
      this.#connect()
      setInterval(() => this.#ping(), pingEvery)
    })
  }

  get isIn(): boolean {
    return this.#isIn
  }

  get next(): number {
    return this.#next
  }

  /** Sends a line to the game. */
  say(): void {
    const { model, trace } = this.#parts
    if (!this.#isIn) return
    this.#sent += 1
    const message = `${this.name} says ${this.#sent}`
    const id = `${this.#sent}`
    model.sent.set(message, { client: this.name, answer: 'none', said: 0 })
    this.#waiting.set(id, message)
    trace(`${this.name} sends "${message}"`)
    this.program.run(() =>
      this.#ws?.send(JSON.stringify({ type: 'chat_send', payload: { author: this.name, message, id } })),
    )
  }

  /** Goes to the other place. */
  move(): void {
    this.place = this.place === 'farm' ? 'edge' : 'farm'
    this.program.run(() => this.#ws?.close())
  }

  #ping(): void {
    const ws = this.#ws
    if (ws === undefined || !this.#isIn) return
    ws.send('{"type":"ping"}')
    const { time } = this.#parts
    const sentAt = time.elapsed
    time.after(answersWithin, () => {
      if (this.#ws === ws && this.#heardAt < sentAt) ws.terminate()
    })
  }

  #connect(): void {
    const { network, key, usesSince, time, random, trace, onBroken } = this.#parts
    const { place } = this
    const ws = new WebSocket(`ws://${place}/ws`, {
      createConnection: () => network.connect(place),
      perMessageDeflate: false,
    })
    this.#ws = ws
    const isLate = time.after(answersWithin, () => ws.terminate())
    ws.on('open', () => {
      // It does not know what it has missed, and one place may show a line later than the other.
      if (!usesSince) this.#next = 1
      ws.send(
        JSON.stringify({
          type: 'auth',
          payload: { token: key, ...(usesSince && { since: this.#next - 1 }) },
        }),
      )
    })
    ws.on('message', (data) => {
      this.#heardAt = time.elapsed
      isLate()
      try {
        this.#heard(place, JSON.parse(String(data)))
      } catch (error) {
        onBroken(error)
      }
    })
    ws.on('error', () => undefined)
    ws.on('close', (code) => {
      isLate()
      trace(`${this.name} is disconnected from the ${place}: ${code}`)
      this.#isIn = false
      this.#waiting.clear()
      time.after(random.whole(100, 3000), () => this.#connect())
    })
  }

  #heard(place: Place, { type, payload = {} }: Message): void {
    const { model, trace } = this.#parts
    const { seq, message, from, to, id, code } = payload
    switch (type) {
      case 'auth_success':
        this.#isIn = true
        trace(`${this.name} is in at the ${place}`)
        return
      case 'auth_failed':
        throw new Broken(`${this.name} was refused at the ${place}`)
      case 'chat':
        trace(`${this.name} gets ${seq} "${message}"`)
        this.#covered(Number(seq), Number(seq), 'line')
        model.shown(place, this.name, Number(seq), String(message))
        return
      case 'gap':
        trace(`${this.name} gets a gap from ${from} to ${to}`)
        if (from === null) throw new Broken(`${this.name} got a gap from nowhere to ${to}`)
        this.#covered(Number(from), Number(to), 'gap')
        model.missing(place, this.name, Number(from), Number(to))
        return
      case 'chat_sent':
        this.#told(id, 'sent')
        return
      case 'error':
        this.#told(id, code === 'outcome_unknown' ? 'unknown' : 'refused')
    }
  }

  #told(id: unknown, answer: 'sent' | 'refused' | 'unknown'): void {
    const message = this.#waiting.get(String(id))
    if (message === undefined) return
    this.#waiting.delete(String(id))
    this.#parts.trace(`${this.name} learns of "${message}": ${answer}`)
    this.#parts.model.told(message, answer)
  }

  #covered(from: number, to: number, what: string): void {
    const next = this.#next
    if (to < from) throw new Broken(`${this.name} got a gap from ${from} to ${to}`)
    if (from < next) throw new Broken(`${this.name} got the ${what} ${from} after ${next - 1}`)
    // A client without `since` gets no `gap`, and one without any line needs none before the first.
    if (from > next && next > 1 && this.#parts.usesSince)
      throw new Broken(`${this.name} got the ${what} ${from}, and nothing for ${next} to ${from - 1}`)
    this.#next = to + 1
  }
}
