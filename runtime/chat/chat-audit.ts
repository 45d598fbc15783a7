import type { ChatErrorCode } from '../../handlers/chat/messages.ts'
import type { RoomOptions } from '../../handlers/chat/room.ts'
import type { RoomClient } from '../../handlers/chat/room-client.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { statusOf } from '../../handlers/problem-table.ts'
import type { Api } from '../api.ts'
import { type Speaker, type SummedLines, summedLines } from './summed-lines.ts'

export interface ChatAudit extends Pick<SummedLines<unknown>, 'flush'> {
  /** Records each `chat_send` with its author and length, never its text. */
  readonly saying: RoomOptions['saying']
  /** Records that a key may not say lines, or says too many: one row a minute and key, with the number of lines. */
  refused(client: RoomClient, code: ChatErrorCode, lines: number): void
}

const action = 'chat_send'

export function chatAudit({
  audit,
  newRequestId,
  monotonic,
}: Pick<Api, 'audit' | 'newRequestId' | 'monotonic'>): ChatAudit {
  const writeOf = ({ address, isCommand }: Speaker, holder: KeyHolder, parameters: () => object) =>
    audit.write(
      { requestId: newRequestId(), action, address, ...(isCommand && { isCommand: true as const }) },
      holder,
      () => ({ ...parameters() }),
    )
  const summed = summedLines(
    (lines, speaker, { holder, status }: { readonly holder: KeyHolder; readonly status: number }) =>
      void writeOf(speaker, holder, () => ({ lines })).ended(status, false),
    monotonic,
  )
  return {
    saying(client, { author, lines, id, holder }) {
      const write = writeOf(client, holder, () => ({}))
      const length = lines.reduce((units, line) => units + line.length, 0)
      write.began({ author, length, ...(id !== undefined && { id }) })
      return (code) => {
        if (code === 'outcome_unknown') return write.ended(statusOf('game_timeout'), true)
        return write.ended(code === undefined ? 200 : statusOf(code), false)
      }
    },
    refused(client, code, lines) {
      if (code !== 'insufficient_scope' && code !== 'rate_limited') return
      const { session } = client.state
      if (session.phase !== 'open') return
      const { holder } = session
      summed.note(`${code} ${holder.id}`, lines, client, { holder, status: statusOf(code) })
    },
    flush: summed.flush,
  }
}
