import type { RoomOptions } from '../handlers/chat/room.ts'
import { problemStatus } from '../handlers/problem.ts'
import type { Audit } from './audit.ts'

const outcomeUnknown = 'outcome_unknown'

/** Records each `chat_send` with its author and length, never its text. */
export const chatAudit =
  (audit: Pick<Audit, 'write'>, newRequestId: () => string): RoomOptions['saying'] =>
  ({ address }, { author, lines, id, holder }) => {
    const action = 'chat_send'
    const write = audit.write({ requestId: newRequestId(), address, action, parameters: {} }, holder)
    const length = lines.reduce((units, line) => units + line.length, 0)
    write.began({ author, length, ...(id !== undefined && { id }) })
    return (code) => {
      if (code === undefined) return write.ended({ outcome: 'done', status: 200 })
      if (code === outcomeUnknown)
        return write.ended({ outcome: 'unknown', status: problemStatus.game_timeout })
      const status = problemStatus[code]
      return write.ended({ outcome: status < 500 ? 'refused' : 'failed', status })
    }
  }
