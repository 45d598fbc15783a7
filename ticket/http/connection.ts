import type { IncomingMessage } from 'node:http'
import type { Connections } from '../../lib/connections.ts'

/** What the app knows of the connection of a request. */
export interface Connection {
  /** Remote address of the socket; undefined when the socket is closed already. */
  readonly address: string | undefined
  /** Aborted when no more of the request comes; missing in tests without a socket. */
  readonly over?: AbortSignal
  /** Called when a request has the key: the connection is then never closed to make room for others. */
  hasKey?(): void
  /**
   * Ends the connection after the answer to this request.
   * @returns false when it stays open, because a request on it had the key
   */
  cut?(): boolean
}

/** @returns the connection of a request, among those of its server */
export const connectionOf = (
  incoming: Pick<IncomingMessage, 'socket' | 'complete'>,
  connections: Connections,
): Connection => ({
  address: incoming.socket.remoteAddress,
  get over() {
    return brokenOff(incoming, connections.over(incoming.socket))
  },
  hasKey: () => connections.hasKey(incoming.socket),
  cut: () => connections.cut(incoming.socket),
})

/**
 * @param over aborted when nothing more of the connection is read
 * @returns a signal that is aborted then if the request is not complete
 */
function brokenOff(incoming: { readonly complete: boolean }, over: AbortSignal): AbortSignal {
  const broken = new AbortController()
  const check = () => {
    if (!incoming.complete) broken.abort()
  }
  if (over.aborted) check()
  else over.addEventListener('abort', check, { once: true })
  return broken.signal
}
