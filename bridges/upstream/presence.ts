/** Whether the game can be reached and accepts the key, judged by its answers; logs every change of it. */
import type { GameFailure } from '../../handlers/game-error.ts'
import type { FailureCause } from '../../lib/failure-cause.ts'
import type { Log } from '../../lib/log.ts'
import { outageNotices } from '../../lib/outage-notices.ts'
import type { Clock } from './clock.ts'

export interface Presence {
  /** Called with every good answer. @param snapshotAge milliseconds, from `X-Snapshot-Age-Ms` if it was sent */
  answered(snapshotAge: number | undefined): void
  failed(failure: GameFailure, cause: FailureCause): void
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
  /** Host and port of the game, for the log. */
  readonly address: string
  /** Whether a key is sent to the game. */
  readonly hasKey: boolean
  /** Milliseconds without a good answer after which the game counts as unreachable. */
  readonly availableFor: number
  /** Called when the game answers again after a failure, or accepts the key again. */
  onBack(): void
}

const oneDay = 86_400_000
/** Milliseconds between two log lines about a key that the game still refuses. */
const keyReminder = 60_000

export function presence(options: PresenceOptions): Presence {
  const { clock, log, address, hasKey, availableFor, onBack } = options
  let answeredAt: number | undefined
  let snapshotAt: number | undefined
  let isKeyRejected = false
  let keyToldAt = -Infinity
  let hadFailed = false
  const isHeard = () => answeredAt !== undefined && clock.elapsed() - answeredAt < availableFor
  const reachability = outageNotices({
    elapsed: clock.elapsed,
    onAway: ({ code, words }) => log.warn({ address, cause: code }, `the game server is away: ${words}`),
    onBack: (seconds) =>
      seconds === undefined
        ? log.info({ address }, 'the game server answers')
        : log.info({ address, awaySeconds: seconds }, 'the game server is back'),
  })

  return {
    answered(snapshotAge) {
      answeredAt = clock.elapsed()
      // The game's clock can jump: an age below zero or above a day is not used.
      if (snapshotAge !== undefined)
        snapshotAt = clock.now() - (snapshotAge > 0 && snapshotAge < oneDay ? snapshotAge : 0)
      const isBack = hadFailed
      hadFailed = false
      reachability.back()
      if (isBack) onBack()
    },
    failed(failure, cause) {
      hadFailed ||= failure.kind === 'unavailable' || failure.kind === 'timeout'
      if (!isHeard()) reachability.away(cause)
    },
    keyAccepted() {
      if (!isKeyRejected) return
      isKeyRejected = false
      keyToldAt = -Infinity
      log.info({ address }, 'the game server takes the key again')
      onBack()
    },
    keyRejected() {
      isKeyRejected = true
      if (clock.elapsed() - keyToldAt < keyReminder) return
      keyToldAt = clock.elapsed()
      if (hasKey) log.error({ address }, 'the game server refuses GAME_API_KEY: set it to its own API_KEY')
      else log.error({ address }, 'the game server asks for a key: set GAME_API_KEY to its own API_KEY')
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
