import { Worker } from 'node:worker_threads'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { keepThread, type WorkerThread } from '../../lib/threads.ts'
import { type DownloadStatus, downloadPending } from '../download-port.ts'
import { PlatformError } from '../errors.ts'
import { initialState, type PlatformPort, type SessionState } from '../platform-port.ts'
import { threadLimits } from '../thread-limits.ts'
import { ticketErrors } from '../thread-rpc.ts'
import { renewalGrace, serveDelays } from './retry-delays.ts'
import type { SessionListener, SessionThreadCalls, ThreadStart } from './thread-calls.ts'

/** Milliseconds. */
const closeTimeout = 2000

const sessionThread = (workerData: ThreadStart): WorkerThread =>
  new Worker(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits: threadLimits })

/**
 * Runs the session in a thread, and restarts the thread when it ends; unanswered requests reject. Each thread logs on
 * again, so the waits between two threads are those between two logons.
 */
export function remoteSession(
  start: ThreadStart,
  log: Pick<Log, 'error'>,
  clock: Clock,
  newThread: (start: ThreadStart) => WorkerThread = sessionThread,
): PlatformPort {
  const listeners = new Set<(state: SessionState) => void>()
  let state = initialState
  let download: DownloadStatus = downloadPending
  // Sessions of earlier threads. Each thread counts from 0; the sum only increases.
  let sessionsBefore = 0
  let closed: Promise<void> | undefined

  const change = (next: SessionState): void => {
    state = next
    for (const listener of listeners) listener(state)
  }

  const thread = keepThread<SessionThreadCalls, SessionListener>({
    launch: () => newThread(start),
    functions: {
      changed(next, downloadStatus) {
        download = downloadStatus
        change({ ...next, session: next.session + sessionsBefore })
      },
    },
    errors: ticketErrors,
    lost: () => new PlatformError('not_logged_in'),
    delays: serveDelays,
    clock,
    onError: ({ message }) => log.error({}, `The session thread failed: ${message}`),
    onEnded(wait) {
      sessionsBefore = state.session
      // `starting` only while a thread starts: callers wait for it.
      change({
        ...initialState,
        phase: 'waiting',
        reason: 'the session thread failed',
        retryAt: clock.monotonic() + wait,
        session: sessionsBefore,
      })
    },
    onRestart: () => change({ ...initialState, session: sessionsBefore }),
  })

  /** @throws PlatformError `not_logged_in` while no thread is running */
  async function request<Answer>(call: (calls: typeof thread.calls) => Promise<Answer>): Promise<Answer> {
    if (thread.calls.$closed) throw new PlatformError('not_logged_in')
    return call(thread.calls)
  }

  return {
    state: () => state,
    downloadStatus: () => download,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    requestTicket: () => request((calls) => calls.requestTicket()),
    createLobby: (settings) => request((calls) => calls.createLobby(settings)),
    setLobby: (id, settings) => request((calls) => calls.setLobby(id, settings)),
    leaveLobby: (id) => request((calls) => calls.leaveLobby(id)),
    renewToken: () => request((calls) => calls.renewToken()),
    repairGame: () => request((calls) => calls.repairGame()),
    setupStatus: () => request((calls) => calls.setupStatus()),
    beginSignIn: () => request((calls) => calls.beginSignIn()),
    retryDownload: () => request((calls) => calls.retryDownload()),
    close() {
      closed ??= thread.close(
        { within: renewalGrace, call: () => request((calls) => calls.finishRenewal()) },
        { within: closeTimeout, call: () => request((calls) => calls.close()) },
      )
      return closed
    },
  }
}
