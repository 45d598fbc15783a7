import type { Clock } from '../../lib/clock.ts'
import { untilAborted } from '../../lib/time-limit.ts'
import { PlatformError } from '../errors.ts'
import type { PlatformPort } from '../platform-port.ts'
import type { PlatformClient } from '../steam-user.ts'
import { waitForSession } from '../wait-for-session.ts'
import type { PlatformConnection } from './logon.ts'
import * as platform from './platform-requests.ts'

type Request<Answer> = (client: PlatformClient, appId: number) => Promise<Answer>

interface RequestParts {
  readonly appId: number
  readonly clock: Clock
  /** The current session; undefined while there is none. */
  current(): Pick<PlatformConnection, 'client' | 'ended'> | undefined
  /** The state of the session. */
  readonly states: Pick<PlatformPort, 'state' | 'onChange'>
}

/** Milliseconds that a request waits for the next session when its own ended before the answer. */
const reconnectWait = 15_000

/**
 * @returns the requests of a PlatformPort. A request ends with its session; a ticket and a new lobby are then
 * requested again in the next session.
 */
export function sessionRequests({
  appId,
  clock,
  current,
  states,
}: RequestParts): Pick<PlatformPort, 'requestTicket' | 'createLobby' | 'setLobby' | 'leaveLobby'> {
  return {
    requestTicket: () => ask(platform.requestTicket),
    createLobby: (settings) => ask((client) => platform.createLobby(client, appId, settings)),
    async setLobby(id, settings) {
      const set = await askOnce((client) => platform.setLobby(client, appId, id, settings))
      // Steam has removed the lobby together with the session that made it.
      if (!set) throw new PlatformError('refused', 'NoMatch')
    },
    async leaveLobby(id) {
      await askOnce((client) => platform.leaveLobby(client, appId, id))
    },
  }

  /** @returns the answer; undefined when the session ended before it. @throws PlatformError */
  async function askOnce<Answer>(request: Request<Answer>): Promise<{ answer: Answer } | undefined> {
    const session = current()
    if (!session) throw new PlatformError('not_logged_in')
    try {
      return { answer: await untilAborted(request(session.client, appId), session.ended) }
    } catch (error) {
      if (session.ended.aborted) return undefined
      throw error
    }
  }

  async function ask<Answer>(request: Request<Answer>): Promise<Answer> {
    const first = await askOnce(request)
    if (first) return first.answer
    await waitForSession(states, reconnectWait, clock)
    const second = await askOnce(request)
    if (!second) throw new PlatformError('not_logged_in')
    return second.answer
  }
}
