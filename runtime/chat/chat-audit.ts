import type { ChatErrorCode } from '../../handlers/chat/messages.ts'
import type { RoomOptions } from '../../handlers/chat/room.ts'
import type { RoomClient } from '../../handlers/chat/room-client.ts'
import { problemStatus } from '../../handlers/problem.ts'
import type { Audit } from '../dispatch/audit.ts'

export interface ChatAudit {
  /** Records each `chat_send` with its author and length, never its text. */
  readonly saying: RoomOptions['saying']
  /** Records that a key may not send a line, or sends too many. */
  refused(client: RoomClient, code: ChatErrorCode): void
}

const action = 'chat_send'

export const chatAudit = (
  audit: Pick<Audit, 'write' | 'refused'>,
  newRequestId: () => string,
): ChatAudit => ({
  saying(client, { author, lines, id, holder }) {
    const write = audit.write({ requestId: newRequestId(), action, ...from(client) }, holder, () => ({}))
    const length = lines.reduce((units, line) => units + line.length, 0)
    write.began({ author, length, ...(id !== undefined && { id }) })
    return (code) => {
      if (code === 'outcome_unknown') return write.ended(problemStatus.game_timeout, true)
      return write.ended(code === undefined ? 200 : problemStatus[code], false)
    }
  },
  refused(client, code) {
    if (code !== 'insufficient_scope' && code !== 'rate_limited') return
    const { session } = client.state
    if (session.phase === 'open')
      audit.refused({ holder: session.holder, action, status: problemStatus[code], ...from(client) })
  },
})

const from = ({ address, isCommand }: RoomClient) => ({
  address,
  ...(isCommand && { isCommand: true as const }),
})
