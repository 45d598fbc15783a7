/** Why the chat socket to the game was lost, for the log. */
import { errorCode } from '../../lib/error-code.ts'
import { causeOfError, type FailureCause } from '../../lib/failure-cause.ts'

export const refusedKey: FailureCause = { code: 'key_refused', words: 'it refuses GAME_API_KEY' }
export const readsNothing: FailureCause = { code: 'no_answer', words: 'it does not read what is sent to it' }

export const closedWith = (code: number): FailureCause => ({
  code: 'closed',
  words: `it closed the socket (${code})`,
})

/**
 * @param error of a socket of `ws`. About a frame its code begins with `WS_ERR_`, about the answer to the handshake it
 * has none; both have a message without any text of the peer
 */
export function causeOfSocketError(error: Error): FailureCause {
  const code = errorCode(error) ?? 'WS_ERR_HANDSHAKE'
  return code.startsWith('WS_ERR_')
    ? { code: 'protocol_broken', words: `it does not keep to the WebSocket protocol (${error.message})` }
    : causeOfError(error)
}
