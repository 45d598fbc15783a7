/**
 * The one clock of a simulation, and the programs that run on it. Time passes only between events: everything that is
 * due at one moment runs, then all that follows from it without a wait, then the next moment comes.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { Clock } from '../../lib/clock.ts'

const settle = setImmediate
const running = new AsyncLocalStorage<Program>()

/** A process of the simulated world, or an object at the edge: what it has begun ends with it. */
export class Program {
  readonly name: string
  /** Milliseconds by which its wall clock is ahead. */
  ahead = 0
  /** How many timers wait. */
  waiting = 0
  #isAlive = true
  readonly #atEnd: (() => void)[] = []

  constructor(name: string) {
    this.name = name
  }

  /** The one that runs now; undefined for the simulation itself. */
  static get current(): Program | undefined {
    return running.getStore()
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Runs something in it: its timers, sockets and promises belong to it. */
  run<Result>(work: () => Result): Result {
    return running.run(this, work)
  }

  atEnd(run: () => void): void {
    this.#atEnd.push(run)
  }

  /** It ends at once, as by `kill -9`: nothing of it runs again. */
  end(): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    for (const run of this.#atEnd) run()
  }
}

interface Event {
  readonly at: number
  readonly program: Program | undefined
  readonly run: () => void
  isCancelled: boolean
}

/** When every simulation begins. */
const start = Date.UTC(2026, 10, 21, 12)

export class VirtualTime {
  /** Milliseconds since the start. */
  elapsed = 0
  /** By time; those of one moment in the order in which they were added. */
  readonly #events: Event[] = []
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** Milliseconds since 1970, by the wall clock of the current program. */
  readonly now = (): number => Math.floor(start + this.elapsed + (Program.current?.ahead ?? 0))
  readonly monotonic = (): number => this.elapsed

  /** @returns a function that cancels it */
  after(milliseconds: number, run: () => void, program = Program.current): () => void {
    const at = this.elapsed + Math.max(0, Number.isFinite(milliseconds) ? milliseconds : 0)
    const event: Event = { at, program, run, isCancelled: false }
    let [from, to] = [0, this.#events.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#events[middle]?.at ?? 0) <= at) from = middle + 1
      else to = middle
    }
    this.#events.splice(from, 0, event)
    if (program !== undefined) program.waiting += 1
    return () => {
      if (!event.isCancelled && program !== undefined) program.waiting -= 1
      event.isCancelled = true
    }
  }

  get clock(): Clock {
    return {
      now: this.now,
      monotonic: this.monotonic,
      random: this.#random,
      after: (milliseconds, run) => this.after(milliseconds, run),
    }
  }

  /** Lets time pass. @param each called after each moment; false ends it */
  async pass(milliseconds: number, each: () => boolean): Promise<void> {
    const until = this.elapsed + milliseconds
    await new Promise(settle)
    for (let next = this.#events[0]; next !== undefined && next.at <= until; next = this.#events[0]) {
      this.elapsed = next.at
      for (let due = this.#events[0]; due !== undefined && due.at <= this.elapsed; due = this.#events[0]) {
        this.#events.shift()
        this.#run(due)
      }
      await new Promise(settle)
      if (!each()) return
    }
    this.elapsed = until
  }

  #run(event: Event): void {
    const { program, run } = event
    if (event.isCancelled) return
    event.isCancelled = true
    if (program === undefined) run()
    else {
      program.waiting -= 1
      if (program.isAlive) program.run(run)
    }
  }
}

/** As the timer of Node that programs expect. */
class Timer {
  readonly cancel: () => void
  constructor(cancel: () => void) {
    this.cancel = cancel
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

/**
 * Puts a time behind the global clocks and timers, for this whole process. Parts that take a `Clock` get one; the
 * others, libraries among them, and everything at the edge, whose platform has no other clock, read the globals.
 * @returns sets the time of the next simulation
 */
export function installTime(): (next: VirtualTime) => void {
  let time = new VirtualTime(() => 0.5)
  const current = () => time
  const timer = (milliseconds: number, run: () => void) => new Timer(current().after(milliseconds, run))
  const clear = (found: unknown) => {
    if (found instanceof Timer) found.cancel()
  }
  const interval = (run: () => void, milliseconds: number) => {
    let cancel = () => {}
    const again = () => {
      cancel = current().after(Math.max(1, milliseconds), () => {
        again()
        run()
      })
    }
    again()
    return new Timer(() => cancel())
  }
  type Run = (...args: unknown[]) => void
  Object.assign(globalThis, {
    setTimeout: (run: Run, milliseconds = 0, ...args: unknown[]) => timer(milliseconds, () => run(...args)),
    setImmediate: (run: Run, ...args: unknown[]) => timer(0, () => run(...args)),
    setInterval: (run: Run, milliseconds = 0, ...args: unknown[]) =>
      interval(() => run(...args), milliseconds),
    clearTimeout: clear,
    clearImmediate: clear,
    clearInterval: clear,
  })
  Date.now = () => current().now()
  performance.now = () => current().monotonic()
  process.hrtime.bigint = () => BigInt(Math.round(current().monotonic() * 1e6))
  Math.random = () => current().clock.random()
  return (next) => {
    time = next
  }
}
