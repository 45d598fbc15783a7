/**
 * Rows of the audit on their way to the thread. Many are sent as one call, because a call costs more than a row, and a
 * write that has ended before its row was sent is inserted with its end.
 */
import type { WriteEnd } from '../../handlers/audit-entry.ts'
import type { EndedWrite, StoredWrite } from './audit-table.ts'

/** Maximum of milliseconds that the row of a pending write waits. */
const heldBack = 3

export type AuditRows = ReturnType<typeof auditRows>

/** @param send writes rows and their ends; its calls are made in the order in which it is called */
export function auditRows(
  send: (begun: readonly StoredWrite[], ended: readonly EndedWrite[]) => Promise<void>,
) {
  let begun = new Map<number, StoredWrite & { end?: WriteEnd }>()
  let ended: EndedWrite[] = []
  let timer: NodeJS.Timeout | undefined
  /** Of finished writes; one call sends all of them. */
  let committed: PromiseWithResolvers<void> | undefined
  const sendNow = () => {
    if (begun.size === 0 && ended.length === 0) return
    const all = [[...begun.values()], ended] as const
    const { resolve } = committed ?? { resolve: unawaited }
    begun = new Map()
    ended = []
    committed = undefined
    clearTimeout(timer)
    timer = undefined
    resolve(send(...all))
  }
  return {
    /** Sends the row within three milliseconds. */
    began(write: StoredWrite) {
      begun.set(write.id, { ...write })
      timer ??= setTimeout(sendNow, heldBack)
    },
    /** Sends all rows at the end of this turn of the event loop. @returns when they are committed */
    ended(write: EndedWrite) {
      const unsent = begun.get(write.id)
      if (unsent === undefined) ended.push(write)
      else unsent.end ??= write.end
      if (committed === undefined) {
        committed = Promise.withResolvers()
        setImmediate(sendNow)
      }
      return committed.promise
    },
    /** Sends all rows, so that a later call finds them. */
    sendNow,
  }
}

/** The end of a write reports an error. Nothing awaits a write that has only started. */
const unawaited = (sent: Promise<void>) => void sent.catch(() => undefined)
