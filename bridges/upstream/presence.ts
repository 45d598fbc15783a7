/**
 * Whether the game is reachable and accepts the key, judged by its answers; logs every change. All calls use this one
 * clock, so that they report an offline game at the same time.
 */
import type { KnownCause } from '../../handlers/cause.ts'
import type { FarmFailure } from '../../handlers/farm-error.ts'
import { staleAfter } from '../../handlers/game-bridge.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FailureCause, isBroken } from '../../lib/failure-cause.ts'
import type { Log } from '../../lib/log.ts'
import { minutely } from '../../lib/once-a-minute.ts'
import { outageNotices } from '../../lib/outage-notices.ts'
import type { Limits } from './limits.ts'

export type Presence = ReturnType<typeof presence>

interface PresenceOptions {
  readonly clock: Clock
  readonly log: Log
  /** Host and port of the game, for the log. */
  readonly address: string
  /** Whether a key is sent to the game. */
  readonly hasKey: boolean
  readonly limits: Pick<Limits, 'offlineAfter' | 'brokenAfter'>
}

const oneDay = 86_400_000

/** What a failed call says of the game. Any other failure counts as a missing answer. */
const causeByFailure: Partial<Readonly<Record<FailureCause['code'], KnownCause['code']>>> = {
  connection_refused: 'connection_refused',
  no_such_host: 'connection_refused',
  name_lookup_failed: 'connection_refused',
  no_route: 'connection_refused',
  connection_lost: 'connection_refused',
  connection_failed: 'connection_refused',
  certificate: 'not_its_api',
  no_tls: 'not_its_api',
  not_http: 'not_its_api',
  not_its_api: 'not_its_api',
}

export function presence(options: PresenceOptions) {
  const { clock, log, address, hasKey, limits } = options
  /** When the game last answered: `at` in milliseconds since 1970, `elapsed` on the monotonic clock. */
  let answered: { readonly at: number; readonly elapsed: number } | undefined
  /** When a connection was first refused or reset since then, on the monotonic clock. */
  let brokenAt: number | undefined
  let isStarting = false
  let snapshotAt: number | undefined
  let isStale = false
  /** Of the newest call that failed. */
  let lastFailure: FailureCause['code'] = 'no_answer'
  /** Milliseconds since 1970; undefined while the key is accepted. */
  let keyRejectedAt: number | undefined
  let isKeyLineDue = minutely(clock.monotonic)
  let hadFailed = false
  const isOffline = () => {
    const now = clock.monotonic()
    return (
      answered === undefined ||
      now - answered.elapsed >= limits.offlineAfter ||
      (brokenAt !== undefined && now - brokenAt >= limits.brokenAfter)
    )
  }
  const hear = () => {
    answered = { at: clock.now(), elapsed: clock.monotonic() }
    brokenAt = undefined
  }
  const reachability = outageNotices({
    monotonic: clock.monotonic,
    onUnreachable: ({ code, words }) =>
      log.warn({ address, cause: code }, `the game server is unreachable: ${words}`),
    onBack: (seconds) =>
      seconds === undefined
        ? log.info({ address }, 'the game server answers')
        : log.info({ address, offlineSeconds: seconds }, 'the game server is back'),
  })

  let back = () => {}
  return {
    /** The listener is called when the game answers again after a failure, or accepts the key again. */
    onBack(listener: () => void) {
      back = listener
    },
    /** Called with every good answer. @param snapshotAge milliseconds, from `X-Snapshot-Age-Ms` if it was sent */
    answered(snapshotAge: number | undefined) {
      hear()
      isStarting = false
      // The game's clock can jump: an age below zero or above a day is not used.
      if (snapshotAge !== undefined) {
        const age = snapshotAge > 0 && snapshotAge < oneDay ? snapshotAge : 0
        snapshotAt = clock.now() - age
        isStale = age > staleAfter
      }
      const isBack = hadFailed
      hadFailed = false
      reachability.back()
      if (isBack) back()
    },
    /** Called for an answer of the small server that runs while the game starts. */
    starting() {
      hear()
      isStarting = true
      hadFailed = true
      reachability.away({ code: 'starting', words: 'it is starting' })
    },
    failed(failure: FarmFailure, cause: FailureCause) {
      hadFailed ||= failure.kind === 'unavailable' || failure.kind === 'timeout'
      if (isBroken(cause)) brokenAt ??= clock.monotonic()
      lastFailure = cause.code
      if (isOffline() || isStarting) reachability.away(cause)
    },
    keyAccepted() {
      if (keyRejectedAt === undefined) return
      keyRejectedAt = undefined
      isKeyLineDue = minutely(clock.monotonic)
      log.info({ address }, 'the game server takes the key again')
      back()
    },
    keyRejected() {
      keyRejectedAt ??= clock.now()
      if (!isKeyLineDue()) return
      if (hasKey) log.error({ address }, 'the game server refuses GAME_API_KEY: set it to its own API_KEY')
      else log.error({ address }, 'the game server asks for a key: set GAME_API_KEY to its own API_KEY')
    },
    /** The game answers, is not starting, and accepts the key. */
    get isAvailable(): boolean {
      return !isOffline() && !isStarting && keyRejectedAt === undefined
    },
    /** No answer for `offlineAfter`, or for `brokenAfter` with connections that are refused or reset, or never one. */
    get isOffline(): boolean {
      return isOffline()
    },
    /** When the game last answered, milliseconds since 1970. */
    get answeredAt(): number | undefined {
      return answered?.at
    },
    get isKeyRejected(): boolean {
      return keyRejectedAt !== undefined
    },
    /** Why the game is offline, or its calls are refused. @param since when it became offline, milliseconds since 1970 */
    cause(since: number): KnownCause | undefined {
      if (isOffline()) return { code: causeByFailure[lastFailure] ?? 'no_answer', since }
      return keyRejectedAt === undefined ? undefined : { code: 'key_refused', since: keyRejectedAt }
    },
    /** By the game's last answer, its newest snapshot was more than `staleAfter` old. */
    get isStale(): boolean {
      return isStale
    },
    /** Milliseconds since 1970 of the newest snapshot. */
    get snapshotAt(): number | undefined {
      return snapshotAt
    },
  }
}
