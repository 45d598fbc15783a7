/** The game's own loop: sixty ticks a second that carry out what is asked, unless it is frozen or away. */
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import { GameError } from '../../../handlers/game-error.ts'
import type { Clock } from './clock.ts'

type LoopState = 'running' | 'frozen' | 'away' | 'closed'

interface Waiting {
  run(): void
  fail(error: GameError): void
}

export interface GameLoop {
  readonly state: LoopState
  /** What waited is carried out when it runs again, and ends as `unavailable` when it goes away. */
  become(state: LoopState): void
  health(): Omit<GameHealth, 'snapshotAt'>
  /** @throws {GameError} unavailable */
  read<T>(value: () => T): Promise<T>
  /**
   * Carries a write out exactly once; while the loop is frozen it waits.
   * @param budget milliseconds after which a write that still waits is given up and never happens
   * @throws {GameError} unavailable, timeout
   */
  write<T>(change: () => T, budget?: number): Promise<T>
  /** Writes that reached the game, refused ones included. */
  readonly writes: number
}

const ticksPerSecond = 60
const writeBudget = 5_000

export function gameLoop(clock: Clock): GameLoop {
  const startedAt = clock.now()
  let state: LoopState = 'running'
  let stoppedAt = startedAt
  /** When it went away. */
  let leftAt = startedAt
  let stoodStill = 0
  let writes = 0
  const waiting = new Set<Waiting>()

  /** Milliseconds that the loop has been at work. */
  const worked = () => (state === 'running' ? clock.now() : stoppedAt) - startedAt - stoodStill
  const isThere = () => state === 'running' || state === 'frozen'

  return {
    get state() {
      return state
    },
    get writes() {
      return writes
    },
    become(next) {
      if (state === 'closed' || state === next) return
      if (state === 'running') stoppedAt = clock.now()
      if (isThere()) leftAt = clock.now()
      if (next === 'running') stoodStill += clock.now() - stoppedAt
      state = next
      if (state === 'frozen') return
      for (const write of [...waiting])
        if (state === 'running') write.run()
        else write.fail(new GameError({ kind: 'unavailable' }))
    },
    health() {
      const ticks = (worked() * ticksPerSecond) / 1000
      const sinceLast = (ticks % 1) * (1000 / ticksPerSecond)
      return {
        gameAvailable: isThere(),
        ...(!isThere() && { awaySince: leftAt }),
        isFrozen: state === 'frozen',
        lastTickMs: Math.floor(sinceLast + (state === 'running' ? 0 : clock.now() - stoppedAt)),
        // The first tick is the one that loaded the farm.
        tickCount: Math.floor(ticks) + 1,
        pendingActions: waiting.size,
      }
    },
    async read(value) {
      if (!isThere()) throw new GameError({ kind: 'unavailable' })
      return value()
    },
    async write<T>(change: () => T, budget = writeBudget): Promise<T> {
      if (!isThere()) throw new GameError({ kind: 'unavailable' })
      writes += 1
      if (state === 'running') return change()
      return new Promise<T>((resolve, reject) => {
        const end = () => {
          cancel()
          waiting.delete(write)
        }
        const write: Waiting = {
          run() {
            end()
            try {
              resolve(change())
            } catch (error) {
              reject(error)
            }
          },
          fail(error) {
            end()
            reject(error)
          },
        }
        const cancel = clock.after(budget, () => write.fail(new GameError({ kind: 'timeout', write: true })))
        waiting.add(write)
      })
    },
  }
}
