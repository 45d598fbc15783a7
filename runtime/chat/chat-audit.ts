import type { ChatErrorCode } from '../../handlers/chat/messages.ts'
import type { RoomClient } from '../../handlers/chat/room-client.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { statusOf } from '../../handlers/problem-table.ts'
import type { Api } from '../api.ts'
import { sayAction } from '../dispatch/say.ts'
import { type SummedLines, summedLines } from './summed-lines.ts'

export interface ChatAudit extends Pick<SummedLines<unknown>, 'flush'> {
  /** Records that a key may not say lines, or says too many: one row a minute and key, with the number of lines. */
  refused(client: RoomClient, code: ChatErrorCode, lines: number): void
}

export function chatAudit({
  audit,
  newRequestId,
  monotonic,
}: Pick<Api, 'audit' | 'newRequestId' | 'monotonic'>): ChatAudit {
  const summed = summedLines(
    (
      lines,
      { address, isCommand },
      { holder, status }: { readonly holder: KeyHolder; readonly status: number },
    ) => {
      const from = { address, ...(isCommand && { isCommand: true as const }) }
      const row = { requestId: newRequestId(), action: sayAction, ...from }
      void audit.write(row, holder, () => ({ lines })).ended(status, false)
    },
    monotonic,
  )
  return {
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
