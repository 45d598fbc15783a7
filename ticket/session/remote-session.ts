import { Worker } from 'node:worker_threads'
import { backOff } from '../../lib/back-off.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { type DownloadStatus, downloadPending } from '../download-port.ts'
import { PlatformError } from '../errors.ts'
import { initialState, type PlatformPort, type SessionState } from '../platform-port.ts'
import { threadLimits } from '../thread-limits.ts'
import { threadRpc } from '../thread-rpc.ts'
import { renewalGrace, serveDelays } from './retry-delays.ts'
import type { SessionListener, SessionThreadCalls, ThreadStart } from './thread-calls.ts'

/** Milliseconds. */
const closeTimeout = 2000

/** A thread, as far as its life is watched from here. */
export interface SessionThread {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
  terminate(): Promise<unknown>
}

const sessionThread = (workerData: ThreadStart): SessionThread =>
  new Worker(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits: threadLimits })

/**
 * Runs the session in a thread. A thread that ends is started again; requests that it had not answered reject. Each thread
 * logs on anew, so the waits between two threads are those between two logons.
 */
export function remoteSession(
  start: ThreadStart,
  log: Pick<Log, 'error'>,
  clock: Clock,
  newThread: (start: ThreadStart) => SessionThread = sessionThread,
): PlatformPort {
  const listeners = new Set<(state: SessionState) => void>()
  const stop = new AbortController()
  let state = initialState
  let download: DownloadStatus = downloadPending
  // Sessions of earlier threads. Each thread counts from 0; the sum only increases.
  let sessionsBefore = 0
  let closed: Promise<void> | undefined
  // Threads in a row that soon failed.
  let failures = 0
  let thread = launch()

  function launch() {
    const startedAt = clock.monotonic()
    const worker = newThread(start)
    const calls = threadRpc<SessionThreadCalls, SessionListener>(worker, {
      changed(next, downloadStatus) {
        download = downloadStatus
        change({ ...next, session: next.session + sessionsBefore })
      },
    })
    worker.on('error', (error) => log.error({}, `The session thread failed: ${error.message}`))
    worker.on('exit', () => {
      calls.$close(new PlatformError('not_logged_in'))
      if (stop.signal.aborted) return
      sessionsBefore = state.session
      failures = clock.monotonic() - startedAt >= serveDelays.stableAfter ? 1 : failures + 1
      const delay = backOff(serveDelays, failures, clock.random())
      // Not `starting` while no thread starts: callers would wait for it.
      change({
        ...initialState,
        phase: 'waiting',
        reason: 'the session thread failed',
        retryAt: clock.monotonic() + delay,
        session: sessionsBefore,
      })
      sleep(clock, delay, stop.signal).then(
        () => {
          change({ ...initialState, session: sessionsBefore })
          thread = launch()
        },
        () => undefined,
      )
    })
    return { worker, calls }
  }

  function change(next: SessionState): void {
    state = next
    for (const listener of listeners) listener(state)
  }

  /** @throws PlatformError `not_logged_in` while no thread is running */
  async function request<Answer>(call: (calls: typeof thread.calls) => Promise<Answer>): Promise<Answer> {
    if (thread.calls.$closed) throw new PlatformError('not_logged_in')
    return call(thread.calls)
  }

  async function close(): Promise<void> {
    stop.abort()
    const within = (limit: number, ending: Promise<void>) =>
      withTimeLimit(limit, ending, () => new Error('too late')).catch(() => undefined)
    await within(
      renewalGrace,
      request((calls) => calls.finishRenewal()),
    )
    await within(
      closeTimeout,
      request((calls) => calls.close()),
    )
    await thread.worker.terminate()
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
    validateGame: () => request((calls) => calls.validateGame()),
    close() {
      closed ??= close()
      return closed
    },
  }
}
