/**
 * Polls the game once a second, so that changes are noticed while no client asks. Polls use the same cache as clients'
 * reads, so they cost the game nothing when clients ask too. Without listeners it polls health and status; with
 * listeners also the players, and every few seconds the cabins and the rendering rate.
 */
import { type GameEvent, statusEvents } from '../../handlers/game-event.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import type { GameReads } from './game-reads.ts'
import type { KeptRead } from './kept-read.ts'
import type { Limits } from './limits.ts'
import type { Presence } from './presence.ts'

const ask = (read: KeptRead<unknown>) => read.get().catch(() => undefined)

interface GameWatchOptions {
  readonly reads: GameReads
  readonly status: () => Promise<Status>
  readonly presence: Presence
  readonly clock: Clock
  readonly limits: Limits
  readonly hasListeners: () => boolean
  readonly emit: (event: GameEvent) => void
}

export function gameWatch(options: GameWatchOptions) {
  const { reads, presence, clock, limits, emit } = options
  let isStopped = false
  let callOff: (() => void) | undefined
  let polls = 0

  let previous: Status | undefined
  async function pollStatus() {
    const status = await options.status()
    if (isStopped) return
    const events = previous === undefined ? [] : statusEvents(previous, status)
    previous = status
    for (const event of events) emit(event)
  }

  async function poll() {
    const began = clock.monotonic()
    const isListened = options.hasListeners()
    const isThorough = isListened && polls % limits.slowPolls === 0
    polls += 1
    await Promise.all([
      ask(reads.health),
      pollStatus(),
      // While the key is refused this shows when the game accepts it again.
      isListened || presence.isKeyRejected ? ask(reads.players) : undefined,
      isThorough ? ask(reads.cabins) : undefined,
      isThorough ? ask(reads.rendering) : undefined,
    ])
    if (isStopped) return
    const wait = Math.max(0, limits.pollEvery - (clock.monotonic() - began))
    callOff = clock.after(wait, () => void poll())
  }

  void poll()
  return {
    /** Makes the next poll read everything; called after a write. */
    pollAll() {
      polls = 0
    },
    stop() {
      isStopped = true
      callOff?.()
    },
  }
}
