/** The game's own words to our closed set of failures. */
import * as v from 'valibot'
import type { GameFailure } from '../../../handlers/game-error.ts'
import { type FailureCause, notItsApi } from '../../failure-cause.ts'
import { outcome } from './answers.ts'
import type { GameAnswer } from './game-http.ts'

/** What a call is about, for the sentence of its failure. */
export interface Subject {
  /** Completes "This game server cannot …". */
  readonly what: string
  readonly isWrite: boolean
  /** Whom it concerns. */
  readonly target?: { readonly kind: 'farmhand' | 'player'; readonly label: string }
}

/** Why the game says that it did not do it. */
export function refusal(words: string, { what, isWrite, target }: Subject): GameFailure {
  const said = words.toLowerCase()
  const label = target?.label ?? ''
  const clients = /while (\d+) client/.exec(said)?.[1]
  if (clients !== undefined) return { kind: 'players_connected', count: Number(clients) }
  if (said.includes('connected clients')) return { kind: 'players_connected' }
  if (said.includes('currently online')) return { kind: 'farmhand_online', label, change: 'delete' }
  if (said.includes('save is in progress')) return { kind: 'save_in_progress' }
  if (said.includes('not ready') || said.includes('not initialized')) return { kind: 'not_ready' }
  if (said.includes('not enabled')) return { kind: 'unsupported', what: `${what}: ${words.slice(0, 100)}` }
  // Given up by the game's own budget: it may still be at it.
  if (said.includes('timed out')) return { kind: 'timeout', write: isWrite }
  if (said.includes('not found') && target !== undefined)
    return target.kind === 'farmhand'
      ? { kind: 'farmhand_not_found', label }
      : { kind: 'player_not_found', label }
  return { kind: 'bad_response', detail: `refused: ${words.slice(0, 200)}` }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The key here and the game's differ: until someone mends that the game is out of reach. */
export const keyRefused = { kind: 'unavailable', because: 'key_refused' } as const satisfies GameFailure
export const refusesKey = (status: number): boolean => status === 401 || status === 403

/** What an answer that is none says of the game's being there, for the log. */
export function causeOfAnswer({ status, type }: GameAnswer, failure: GameFailure): FailureCause {
  if (failure.kind === 'unavailable' && failure.because === 'rate_limited')
    return { code: 'rate_limited', words: 'it limits how often farmgate may ask (429)' }
  if (failure.kind === 'not_ready') return { code: 'starting', words: `it is starting or busy (${status})` }
  if (failure.kind === 'unavailable' || failure.kind === 'timeout')
    return { code: 'proxy', words: `a proxy in front of it gets no answer from it (${status})` }
  const detail = failure.kind === 'bad_response' && status === 200 ? `, ${failure.detail}` : ''
  return notItsApi(`status ${status}, ${type.slice(0, 60)}${detail}`)
}

/** Why an answer is not one; undefined for a 200, which still may hold a refusal. */
export function failureOf(
  { status, text, retryAfter }: GameAnswer,
  subject: Subject,
): GameFailure | undefined {
  if (status === 200) return undefined
  if (refusesKey(status)) return keyRefused
  if (status === 429)
    return {
      kind: 'unavailable',
      because: 'rate_limited',
      ...(retryAfter !== undefined && { retryAfter }),
    }
  const body = json(text)
  const isJson = typeof body === 'object' && body !== null
  const said = v.safeParse(outcome, body)
  if (said.success && said.output.success === false) {
    const failure = refusal(said.output.error, subject)
    if (failure.kind !== 'bad_response') return failure
  }
  const { isWrite: write, what } = subject
  if (isJson && (status === 404 || status === 405 || status === 501)) return { kind: 'unsupported', what }
  // The game itself is busy and did not do it; without JSON a proxy says that there is no game.
  if (status === 503) return isJson ? { kind: 'not_ready' } : { kind: 'unavailable' }
  if (status === 504) return { kind: 'timeout', write }
  if (status === 502 && !write) return { kind: 'unavailable' }
  return { kind: 'bad_response', detail: `status ${status}`, write: write && status >= 500 }
}
