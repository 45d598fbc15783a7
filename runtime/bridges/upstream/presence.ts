/** What is known of the game's being there, from how its answers come. */
import type { GameFailure } from '../../../handlers/game-error.ts'
import type { Log } from '../../log.ts'
import type { Clock } from './clock.ts'

export interface Presence {
  /** A good answer came; `snapshotAge` in milliseconds when it told one. */
  answered(snapshotAge: number | undefined): void
  failed(failure: GameFailure): void
  keyAccepted(): void
  keyRejected(): void
  readonly isAvailable: boolean
  readonly isKeyRejected: boolean
  /** Milliseconds since 1970 of the newest snapshot. */
  readonly snapshotAt: number | undefined
}

interface PresenceOptions {
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds without a good answer after which the game is not there. */
  readonly availableFor: number
  /** The game answers again after it did not, or takes the key again. */
  onBack(): void
}

const oneDay = 86_400_000

export function presence({ clock, log, availableFor, onBack }: PresenceOptions): Presence {
  let answeredAt: number | undefined
  let snapshotAt: number | undefined
  let isKeyRejected = false
  let hadFailed = false
  let wasHeard = false
  let isToldAway = false
  const isHeard = () => answeredAt !== undefined && clock.elapsed() - answeredAt < availableFor

  return {
    answered(snapshotAge) {
      answeredAt = clock.elapsed()
      // The game's clock may jump: an age that cannot be is none.
      if (snapshotAge !== undefined)
        snapshotAt = clock.now() - (snapshotAge > 0 && snapshotAge < oneDay ? snapshotAge : 0)
      const isBack = hadFailed
      hadFailed = false
      if (isToldAway || !wasHeard) log.info({}, 'the game server answers')
      isToldAway = false
      wasHeard = true
      if (isBack) onBack()
    },
    failed(failure) {
      hadFailed ||= failure.kind === 'unavailable' || failure.kind === 'timeout'
      if (isToldAway || isHeard()) return
      isToldAway = true
      const { kind } = failure
      log.warn({ kind, ...('detail' in failure && { detail: failure.detail }) }, 'the game server is away')
    },
    keyAccepted() {
      if (!isKeyRejected) return
      isKeyRejected = false
      log.info({}, 'the game server takes the key again')
      onBack()
    },
    keyRejected() {
      if (!isKeyRejected) log.error({}, 'the game server rejects GAME_API_KEY: set it to its own API_KEY')
      isKeyRejected = true
    },
    get isAvailable() {
      return isHeard() && !isKeyRejected
    },
    get isKeyRejected() {
      return isKeyRejected
    },
    get snapshotAt() {
      return snapshotAt
    },
  }
}
