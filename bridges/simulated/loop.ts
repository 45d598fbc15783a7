/** The game loop: sixty ticks a second that perform calls; it can be frozen, silent or offline. */
import { FarmError, type FarmFailure, lostAnswer } from '../../handlers/farm-error.ts'
import { type AbilityName, abilities } from '../../handlers/game-abilities.ts'
import type { GameHealth } from '../../handlers/game-bridge.ts'
import type { Clock } from '../../lib/clock.ts'

/**
 * `frozen`: reads are answered, writes wait, the health says so. `silent`: both wait, and the health does not say so.
 */
type LoopState = 'running' | 'frozen' | 'silent' | 'away' | 'closed'

interface Waiting {
  readonly name: AbilityName
  run(): void
  lose(): void
}

const ticksPerSecond = 60

export function gameLoop(clock: Clock) {
  const startedAt = clock.now()
  let state: LoopState = 'running'
  let stoppedAt = startedAt
  /** When it went offline. */
  let leftAt = startedAt
  /** When it came online. */
  let cameAt = startedAt
  let stoodStill = 0
  let writes = 0
  const waiting = new Set<Waiting>()

  /** Milliseconds that the loop has run. */
  const worked = () => (state === 'running' ? clock.now() : stoppedAt) - startedAt - stoodStill
  const isThere = () => state !== 'away' && state !== 'closed'

  return {
    get state(): LoopState {
      return state
    },
    /** The number of writes that reached the game, rejected ones included. */
    get writes(): number {
      return writes
    },
    /** The waiting calls. */
    get waiting(): readonly AbilityName[] {
      return Array.from(waiting, ({ name }) => name)
    },
    /** When the loop last ran, milliseconds since 1970: now while it runs. */
    get lastRan(): number {
      return state === 'running' ? clock.now() : stoppedAt
    },
    /** Changes the state. Waiting calls are performed when it runs again, and lose their answers when it goes offline. */
    become(next: LoopState) {
      if (state === 'closed' || state === next) return
      if (state === 'running') stoppedAt = clock.now()
      if (isThere()) leftAt = clock.now()
      else cameAt = clock.now()
      if (next === 'running') stoodStill += clock.now() - stoppedAt
      state = next
      if (state === 'frozen' || state === 'silent') return
      for (const call of [...waiting])
        if (state === 'running') call.run()
        else call.lose()
    },
    health(): Omit<GameHealth, 'snapshotAt'> {
      const ticks = (worked() * ticksPerSecond) / 1000
      const sinceLast = (ticks % 1) * (1000 / ticksPerSecond)
      return {
        gameAvailable: isThere(),
        ...(isThere() ? { chatOpenSince: cameAt } : { awaySince: leftAt }),
        isFrozen: state === 'frozen',
        lastTickMs: Math.floor(sinceLast + (state === 'running' ? 0 : clock.now() - stoppedAt)),
        // The first tick is the one that loaded the farm.
        tickCount: Math.floor(ticks) + 1,
        pendingActions: waiting.size,
      }
    },
    /**
     * Performs a call at most once; a call that still waits at the end of its time budget is never performed.
     * @throws {FarmError} unavailable, timeout
     */
    async perform<T>(name: AbilityName, carryOut: () => T): Promise<T> {
      const { effect, budget } = abilities[name]
      if (!isThere()) throw new FarmError({ kind: 'unavailable' })
      if (effect === 'write') writes += 1
      if (state === 'running' || (state === 'frozen' && effect === 'read')) return carryOut()
      return new Promise<T>((resolve, reject) => {
        const end = () => {
          cancel()
          waiting.delete(call)
        }
        const fail = (failure: FarmFailure) => {
          end()
          reject(new FarmError(failure))
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
