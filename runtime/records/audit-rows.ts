/**
 * Rows of the audit on their way to the thread. Those of one turn of the event loop are sent as one call, because a call
 * costs more than a row, and a write that begins and ends within one turn is inserted with its end.
 */
import type { WriteEnd } from '../../handlers/audit-entry.ts'
import type { EndedWrite, StoredWrite } from './audit-table.ts'

export interface AuditRows {
  began(write: StoredWrite): void
  /** @returns when the row is committed */
  ended(write: EndedWrite): Promise<void>
  /** Sends now what waits for the end of the turn, so that a call that follows finds it. */
  sendNow(): void
}

/** @param send writes all of them; its calls are made in the order of the turns */
export function auditRows(
  send: (begun: readonly StoredWrite[], ended: readonly EndedWrite[]) => Promise<void>,
): AuditRows {
  let begun = new Map<number, StoredWrite & { end?: WriteEnd }>()
  let ended: EndedWrite[] = []
  let waiting: PromiseWithResolvers<void> | undefined
  const sendNow = () => {
    if (waiting === undefined) return
    const { resolve } = waiting
    const all = [[...begun.values()], ended] as const
    begun = new Map()
    ended = []
    waiting = undefined
    resolve(send(...all))
  }
  /** @returns when all that waits is committed */
  const atEndOfTurn = () => {
    if (waiting === undefined) {
      waiting = Promise.withResolvers()
      // Whoever ends a write is told of an error; of a write that only began nobody waits.
      waiting.promise.catch(() => undefined)
      setImmediate(sendNow)
    }
    return waiting.promise
  }
  return {
    began(write) {
      begun.set(write.id, { ...write })
      atEndOfTurn()
    },
    ended(write) {
      const unsent = begun.get(write.id)
      if (unsent === undefined) ended.push(write)
      else unsent.end ??= write.end
      return atEndOfTurn()
    },
    sendNow,
  }
}
