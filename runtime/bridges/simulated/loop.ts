/** The game's own loop: sixty ticks a second that carry out what is asked, unless it stands still or is away. */
import { type AbilityName, abilities } from '../../../handlers/game-abilities.ts'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import { GameError, type GameFailure, lostAnswer } from '../../../handlers/game-error.ts'
import type { Clock } from './clock.ts'

/** `frozen`: reads are answered, writes wait. `silent`: both wait, and nobody is told that it stands still. */
type LoopState = 'running' | 'frozen' | 'silent' | 'away' | 'closed'

interface Waiting {
  readonly name: AbilityName
  run(): void
  lose(): void
}

export interface GameLoop {
  readonly state: LoopState
  /** What waited is carried out when it runs again; when it goes away, the answers of what waited are lost. */
  become(state: LoopState): void
  health(): Omit<GameHealth, 'snapshotAt'>
  /**
   * Carries out what was asked, at most once; what still waits when its budget is over is never carried out.
   * @throws {GameError} unavailable, timeout
   */
  perform<T>(name: AbilityName, carryOut: () => T): Promise<T>
  /** Writes that reached the game, refused ones included. */
  readonly writes: number
  /** What was asked and waits. */
  readonly waiting: readonly AbilityName[]
  /** When it last ran: now, unless it is frozen or away. Milliseconds since 1970. */
  readonly lastRan: number
}

const ticksPerSecond = 60

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
  const isThere = () => state !== 'away' && state !== 'closed'

  return {
    get state() {
      return state
    },
    get writes() {
      return writes
    },
    get waiting() {
      return Array.from(waiting, ({ name }) => name)
    },
    get lastRan() {
      return state === 'running' ? clock.now() : stoppedAt
    },
    become(next) {
      if (state === 'closed' || state === next) return
      if (state === 'running') stoppedAt = clock.now()
      if (isThere()) leftAt = clock.now()
      if (next === 'running') stoodStill += clock.now() - stoppedAt
      state = next
      if (state === 'frozen' || state === 'silent') return
      for (const call of [...waiting])
        if (state === 'running') call.run()
        else call.lose()
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
    async perform<T>(name: AbilityName, carryOut: () => T): Promise<T> {
      const { effect, budget } = abilities[name]
      if (!isThere()) throw new GameError({ kind: 'unavailable' })
      if (effect === 'write') writes += 1
      if (state === 'running' || (state === 'frozen' && effect === 'read')) return carryOut()
      return new Promise<T>((resolve, reject) => {
        const end = () => {
          cancel()
          waiting.delete(call)
        }
        const fail = (failure: GameFailure) => {
          end()
          reject(new GameError(failure))
        }
        const call: Waiting = {
          name,
          run() {
            end()
            try {
              resolve(carryOut())
            } catch (error) {
              reject(error)
            }
          },
          lose: () => fail(lostAnswer(effect)),
        }
        const cancel = clock.after(budget, () => fail({ kind: 'timeout', write: effect === 'write' }))
        waiting.add(call)
      })
    },
  }
}
