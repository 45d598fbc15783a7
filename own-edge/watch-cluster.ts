/** Asks this instance every few seconds whether the others accept it, and logs when they do not. */
import { type Clock, recurring } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { singleRequest } from '../lib/single-request.ts'

interface WatchParts {
  /** The path of workerd's socket. */
  readonly socketPath: string
  readonly clock: Clock
  readonly log: Log
}

const ready = new URL('http://localhost/instance/ready')
const every = 5000
/** Answers in a row that are not 200. */
const patience = 3

/** @returns ends it */
export function watchCluster({ socketPath, clock, log }: WatchParts): () => void {
  let refusals = 0
  let wasReady = false
  const heard = (status: number | undefined) => {
    wasReady ||= status === 200
    refusals = status === 503 ? refusals + 1 : 0
    if (refusals === patience && !wasReady)
      log.error({}, 'EDGE_CLUSTER_KEY is wrong: another instance refuses this one')
  }
  const timer = recurring(
    clock.after,
    () => every,
    () => {
      const signal = AbortSignal.timeout(every)
      const { request, answered } = singleRequest(ready, { socketPath, signal })
      request.end()
      void answered.then(
        (answer) => heard(answer.resume().statusCode),
        () => heard(undefined),
      )
    },
  )
  timer.start()
  return timer.stop
}
