/** Maps the game's error messages and HTTP statuses to the failures of the port (`handlers/farm-error.ts`). */

import type { FarmFailure } from '../../handlers/farm-error.ts'
import { type FailureCause, notItsApi } from '../../lib/failure-cause.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { outcome } from './answers.ts'
import type { GameAnswer } from './game-http.ts'

/** What a call is about, for the text of its failure. */
export interface Subject {
  /** Completes "This game server cannot …". */
  readonly what: string
  readonly isWrite: boolean
  /** The farmhand or player that it concerns. */
  readonly target?: { readonly kind: 'farmhand' | 'player'; readonly label: string }
}

/** The failure that an error message of the game means, found by its words. */
export function failureOfMessage(words: string, { what, isWrite, target }: Subject): FarmFailure {
  const said = words.toLowerCase()
  const label = target?.label ?? ''
  const clients = /while (\d+) client/.exec(said)?.[1]
  if (clients !== undefined) return { kind: 'players_connected', count: Number(clients) }
  if (said.includes('connected clients')) return { kind: 'players_connected' }
  if (said.includes('currently online')) return { kind: 'farmhand_online', label, change: 'delete' }
  if (said.includes('save is in progress')) return { kind: 'save_in_progress' }
  if (said.includes('not ready') || said.includes('not initialized')) return { kind: 'not_ready' }
  if (said.includes('not enabled')) return { kind: 'unsupported', what: `${what}: ${words.slice(0, 100)}` }
  // The game's own time limit is over; it may still perform the call.
  if (said.includes('timed out')) return { kind: 'timeout', write: isWrite }
  if (said.includes('not found') && target !== undefined)
    return target.kind === 'farmhand'
      ? { kind: 'farmhand_not_found', label }
      : { kind: 'player_not_found', label }
  return { kind: 'bad_response', detail: `refused: ${words.slice(0, 200)}` }
}

/** The game refuses `GAME_API_KEY`. */
export const keyRefused = { kind: 'unavailable', because: 'key_refused' } as const satisfies FarmFailure
export const refusesKey = (status: number): boolean => status === 401 || status === 403

/** The cause, for the log, of an answer that is a failure. */
export function causeOfAnswer({ status, type }: GameAnswer, failure: FarmFailure): FailureCause {
  if (failure.kind === 'unavailable' && failure.because === 'rate_limited')
    return { code: 'rate_limited', words: 'it limits how often farmgate may ask (429)' }
  if (failure.kind === 'not_ready') return { code: 'starting', words: `it is starting or busy (${status})` }
  if (failure.kind === 'unavailable' || failure.kind === 'timeout')
    return { code: 'proxy', words: `a proxy in front of it gets no answer from it (${status})` }
  const detail = failure.kind === 'bad_response' && status === 200 ? `, ${failure.detail}` : ''
  return notItsApi(`status ${status}, ${type.slice(0, 60)}${detail}`)
}

/** The failure of an answer by its status; undefined for 200, whose body can still say that the call was rejected. */
export function failureOf(
  { status, text, retryAfter }: GameAnswer,
  subject: Subject,
): FarmFailure | undefined {
  if (status === 200) return undefined
  if (refusesKey(status)) return keyRefused
  if (status === 429)
    return {
      kind: 'unavailable',
      because: 'rate_limited',
      ...(retryAfter !== undefined && { retryAfter }),
    }
  const body = foreignValue(text)
  const isJson = typeof body === 'object' && body !== null
  const said = checkForeign(outcome, body)
  if (said.success && said.output.success === false) {
    const failure = failureOfMessage(said.output.error, subject)
    if (failure.kind !== 'bad_response') return failure
  }
  const { isWrite: write, what } = subject
  if (isJson && (status === 404 || status === 405 || status === 501)) return { kind: 'unsupported', what }
  // With a JSON body the game itself is busy and did nothing; without one, a proxy cannot reach the game.
  if (status === 503) return isJson ? { kind: 'not_ready' } : { kind: 'unavailable' }
  if (status === 504) return { kind: 'timeout', write }
  if (status === 502 && !write) return { kind: 'unavailable' }
  return { kind: 'bad_response', detail: `status ${status}`, write: write && status >= 500 }
}
