import type { RoomOptions } from '../handlers/chat/room.ts'
import { problemStatus } from '../handlers/problem.ts'
import type { Audit } from './audit.ts'

/** Records each `chat_send` with its author and length, never its text. */
export const chatAudit =
  (audit: Pick<Audit, 'write'>, newRequestId: () => string): RoomOptions['saying'] =>
  ({ address }, { author, lines, id, holder }) => {
    const action = 'chat_send'
    const write = audit.write({ requestId: newRequestId(), address, action }, holder, () => ({}))
    const length = lines.reduce((units, line) => units + line.length, 0)
    write.began({ author, length, ...(id !== undefined && { id }) })
    return (code) => {
      if (code === 'outcome_unknown') return write.ended(problemStatus.game_timeout, true)
      return write.ended(code === undefined ? 200 : problemStatus[code], false)
    }
  }
