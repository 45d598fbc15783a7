/** The log line of an answered request. */
import { statusOf } from '../../handlers/problem-table.ts'
import type { AddressLines } from '../../lib/address-lines.ts'
import type { Log } from '../../lib/log.ts'

export interface RequestLine {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Milliseconds from the request to the answer. */
  readonly ms: number
  readonly address: string
}

/** Maximum of characters of a path that are logged. */
export const maxLoggedPath = 200

const gameOffline = statusOf('game_unavailable')
const waitIsOver = statusOf('wait_timeout')

interface RequestLog {
  readonly log: Log
  /** Logs refused requests. */
  readonly refusalLines: AddressLines
}

/**
 * Logs it at the level of its outcome.
 * @param asked `isPublic` for a route that needs no key, `isHolder` for a caller with a valid key
 */
export function logRequest(
  line: RequestLine,
  asked: { readonly isPublic: boolean; readonly isHolder: boolean },
  { log, refusalLines }: RequestLog,
): void {
  const { status, address } = line
  // Public routes are polled a lot, also while the game is offline, which the bridge logs once, and browsers call
  // them before each use: no line for each request.
  const isPublic = asked.isPublic || line.method === 'OPTIONS'
  if (isPublic && (status < 400 || status === gameOffline)) log.debug(line, 'request')
  else if (status >= 500) log.warn(line, 'request')
  else if (status < 400 || asked.isHolder || status === waitIsOver) log.info(line, 'request')
  else refusalLines.note(address, () => log.info(line, 'request'))
}
