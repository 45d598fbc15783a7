/** The connection of the open session, as every part of a page needs it: that of a farm, or that of the fleet. */
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { FarmgateError } from '../../client/index.ts'

interface Connection {
  /** Since when farmgate is unreachable, milliseconds since 1970; undefined while it is reachable. */
  readonly lostSince?: ReadonlySignal<number | undefined>
  /** The game does not answer. */
  readonly isOffline?: ReadonlySignal<boolean>
  /** The key was refused: it was revoked or has expired. */
  refused(): void
}

/** Undefined while no session is open. */
export const connection = signal<Connection | undefined>(undefined)

/** The session is open, and farmgate is no longer reachable. */
export const isLost = computed(() => connection.value?.lostSince?.value !== undefined)

/** The session is open, and the game does not answer. */
export const isGameOffline = computed(() => connection.value?.isOffline?.value === true)

/** A call that was refused with 401 ends the session. */
export function noteRefusal(error: unknown): void {
  if (isWrongKey(error)) connection.value?.refused()
}

export const isWrongKey = (error: unknown): boolean =>
  error instanceof FarmgateError && error.code === 'unauthorized'

/**
 * Tries a key that is not the session's own, so its 401 does not end the session.
 * @throws {FarmgateError} wrong-key; any other failure
 */
export async function tryKey<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw isWrongKey(error) ? new FarmgateError('wrong-key', 'farmgate does not accept this key') : error
  }
}
