/** The farm's heartbeats, and the time within which the edge must answer (bridges/linked/README.md, "Heartbeats"). */
import { type After, recurring } from '../../../lib/clock.ts'
import { heartbeatEvery } from '../protocol.ts'

/** Milliseconds in which the edge must accept the connection, answer a hello, and answer a heartbeat. */
export const answerTimeout = 10_000

/** @param onSilent called when a due answer has not come */
export function heartbeats(after: After, send: () => void, onSilent: () => void) {
  let endLimit: (() => void) | undefined
  const expect = () => {
    endLimit ??= after(answerTimeout, onSilent)
  }
  const received = () => {
    endLimit?.()
    endLimit = undefined
  }
  const every = recurring(
    after,
    () => heartbeatEvery,
    () => {
      send()
      expect()
    },
  )
  return {
    /** An answer of the edge is due within `answerTimeout`. */
    expect,
    /** Call this for everything that the edge sends: any frame counts as the answer. */
    received,
    /** Sends a heartbeat every `heartbeatEvery` milliseconds from now on; each expects an answer. */
    start: every.start,
    stop() {
      every.stop()
      received()
    },
  }
}
