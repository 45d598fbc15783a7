/** Looks after the keys of the cluster: each instance refuses those with another `EDGE_CLUSTER_KEY`, and both say so. */
import { type Clock, recurring } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { minutely } from '../lib/once-a-minute.ts'
import { singleRequest } from '../lib/single-request.ts'
import { notAcceptedHeader } from '../runtime/edge/instance-ready.ts'

interface WatchParts {
  /** The path of workerd's socket. */
  readonly socketPath: string
  readonly clock: Clock
  readonly log: Log
}

const ready = new URL('http://localhost/instance/ready')
const every = 5000
/** Answers in a row of an instance that is not accepted, until the log says so. */
const patience = 3
/** Milliseconds for which an instance is not ready after it has refused another one, which asks every five seconds. */
const refusesFor = 3 * every
/** What workerd says when the peer has another key. */
const refusal = /cluster CONNECT without a valid cf-cluster-auth/

export function watchCluster({ socketPath, clock, log }: WatchParts) {
  let unaccepted = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  const heard = (isUnaccepted: boolean) => {
    unaccepted = isUnaccepted ? unaccepted + 1 : 0
    if (unaccepted === patience)
      log.error({}, 'EDGE_CLUSTER_KEY may differ: another instance does not accept this one')
  }
  const isDue = minutely(clock.monotonic)
  const timer = recurring(
    clock.after,
    () => every,
    () => {
      const signal = AbortSignal.timeout(every)
      const { request, answered } = singleRequest(ready, { socketPath, signal })
      request.end()
      void answered.then(
        (answer) => heard(notAcceptedHeader in answer.resume().headers),
        () => heard(false),
      )
    },
  )
  timer.start()
  return {
    /** Reads a line of workerd's output. */
    said(line: string) {
      if (!refusal.test(line)) return
      refusedAt = clock.monotonic()
      if (isDue()) log.error({}, 'EDGE_CLUSTER_KEY differs: this instance refuses another one')
    },
    /** Whether this instance has just refused another one: no one knows which of both has the wrong key. */
    refuses: () => clock.monotonic() - refusedAt < refusesFor,
    stop: timer.stop,
  }
}
