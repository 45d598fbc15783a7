/**
 * Looks at the game once a second, so that what changed is seen even while nobody asks. Looks share the answers that clients are given,
 * so that a busy farm is asked no more often. At rest the game answers two requests a second from memory;
 * with listeners also its players, and every few seconds its cabins and rendering rate.
 */
import { type GameEvent, statusEvents } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import type { Clock } from './clock.ts'
import type { GameReads } from './game-reads.ts'
import type { KeptRead } from './kept-read.ts'
import type { Limits } from './limits.ts'
import type { Presence } from './presence.ts'

const ask = (read: KeptRead<unknown>) => read.get().catch(() => undefined)

export interface GameWatch {
  /** Looks at everything the next time: something was changed from here. */
  soon(): void
  stop(): void
}

interface GameWatchOptions {
  readonly reads: GameReads
  readonly status: () => Promise<Status>
  readonly presence: Presence
  readonly clock: Clock
  readonly limits: Limits
  readonly hasListeners: () => boolean
  readonly emit: (event: GameEvent) => void
}

export function gameWatch(options: GameWatchOptions): GameWatch {
  const { reads, presence, clock, limits, emit } = options
  let isStopped = false
  let callOff: (() => void) | undefined
  let looks = 0

  let told: Status | undefined
  async function lookAtStatus() {
    const status = await options.status()
    if (isStopped) return
    const events = told === undefined ? [] : statusEvents(told, status)
    told = status
    for (const event of events) emit(event)
  }

  async function look() {
    const began = clock.elapsed()
    const isListened = options.hasListeners()
    const isThorough = isListened && looks % limits.slowPolls === 0
    looks += 1
    await Promise.all([
      ask(reads.health),
      lookAtStatus(),
      // Also the way to learn that the game takes the key again.
      isListened || presence.isKeyRejected ? ask(reads.players) : undefined,
      isThorough ? ask(reads.cabins) : undefined,
      isThorough ? ask(reads.rendering) : undefined,
    ])
    if (isStopped) return
    const wait = Math.max(0, limits.pollEvery - (clock.elapsed() - began))
    callOff = clock.after(wait, () => void look())
  }

  void look()
  return {
    soon() {
      looks = 0
    },
    stop() {
      isStopped = true
      callOff?.()
    },
  }
}
