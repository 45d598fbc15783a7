/**
 * Looks at the game once a second and tells what changed. Looks share the answers that clients are given,
 * so that a busy farm is asked no more often. At rest the game answers two requests a second from memory;
 * with listeners also its players, and every few seconds its cabins and rendering rate.
 */
import { cabinEvents, type GameEvent, playerEvents, statusEvents } from '../../../handlers/game-event.ts'
import type { Status } from '../../../handlers/game-records.ts'
import type { Clock } from './clock.ts'
import type { GameReads } from './game-reads.ts'
import type { Limits } from './limits.ts'
import type { Presence } from './presence.ts'

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

  /** Tells what changed since the last good answer; a bad one changes nothing. */
  function comparing<T>(ask: () => Promise<T>, changes: (before: T, after: T) => readonly GameEvent[]) {
    let before: T | undefined
    return async () => {
      const after = await ask().catch(() => undefined)
      if (after === undefined || isStopped) return
      const events = before === undefined || before === after ? [] : changes(before, after)
      before = after
      for (const event of events) emit(event)
    }
  }

  const lookAtStatus = comparing(options.status, statusEvents)
  const lookAtPlayers = comparing(reads.players.get, playerEvents)
  const lookAtCabins = comparing(reads.cabins.get, cabinEvents)
  const lookAtRendering = comparing(reads.rendering.get, (before, { fps }) =>
    before.fps === fps ? [] : [{ type: 'rendering_changed', fps }],
  )

  async function look() {
    const began = clock.elapsed()
    const isListened = options.hasListeners()
    const isThorough = isListened && looks % limits.slowPolls === 0
    looks += 1
    await Promise.all([
      reads.health.get().catch(() => undefined),
      lookAtStatus(),
      // Also the way to learn that the game takes the key again.
      isListened || presence.isKeyRejected ? lookAtPlayers() : undefined,
      isThorough ? lookAtCabins() : undefined,
      isThorough ? lookAtRendering() : undefined,
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
