import { Worker } from 'node:worker_threads'
import type { Clock } from '../clock.ts'
import { type DownloadStatus, downloadPending } from '../download-port.ts'
import type { Log } from '../log.ts'
import { initialState, PlatformError, type PlatformPort, type SessionState } from '../platform-port.ts'
import { threadLimits } from '../thread-limits.ts'
import type { FromThread, RequestName, Requests, ThreadStart } from './thread-messages.ts'

const restartDelay = 1000
const closeTimeout = 2000

interface Pending {
  resolve(answer: Requests[RequestName]['answer']): void
  reject(error: unknown): void
}

/** Runs the session in a thread and speaks to it. A thread that dies is started again; what it was asked is not repeated. */
export function remoteSession(start: ThreadStart, log: Log, clock: Clock): PlatformPort {
  const listeners = new Set<(state: SessionState) => void>()
  const pending = new Map<number, Pending>()
  const stop = new AbortController()
  let state = initialState
  let download: DownloadStatus = downloadPending
  let lastId = 0
  // Sessions of earlier threads: the number must go on rising.
  let sessionsBefore = 0
  let closed: Promise<void> | null = null
  let worker = launch()

  function launch(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: start,
      resourceLimits: threadLimits,
    })
    thread.on('message', receive)
    thread.on('error', (error) => log.error(`The session thread failed: ${error.message}`))
    thread.on('exit', () => {
      for (const { reject } of pending.values()) reject(new PlatformError('not_logged_in', null))
      pending.clear()
      if (stop.signal.aborted) return
      sessionsBefore = state.session
      change({ ...initialState, session: sessionsBefore })
      clock.sleep(restartDelay, stop.signal).then(
        () => {
          worker = launch()
        },
        () => undefined,
      )
    })
    return thread
  }

  function receive(message: FromThread): void {
    if (message.kind === 'state') {
      download = message.download
      change({ ...message.state, session: message.state.session + sessionsBefore })
      return
    }
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.answer)
    else waiting?.reject(new PlatformError(message.error, message.result))
  }

  function change(next: SessionState): void {
    state = next
    for (const listener of listeners) listener(state)
  }

  function ask<Name extends RequestName>(
    name: Name,
    question: Requests[Name]['ask'],
  ): Promise<Requests[Name]['answer']> {
    return new Promise((resolve, reject) => {
      const id = ++lastId
      pending.set(id, { resolve, reject })
      worker.postMessage({ id, name, ask: question })
    })
  }

  async function close(): Promise<void> {
    stop.abort()
    const goodbye = new Promise((resolve) => setTimeout(resolve, closeTimeout).unref())
    await Promise.race([ask('close', null).catch(() => undefined), goodbye])
    await worker.terminate()
  }

  return {
    state: () => state,
    downloadStatus: () => download,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    requestTicket: () => ask('requestTicket', null),
    createLobby: (settings) => ask('createLobby', settings),
    setLobby: async (id, settings) => void (await ask('setLobby', { ...settings, id })),
    leaveLobby: async (id) => void (await ask('leaveLobby', id)),
    close() {
      closed ??= close()
      return closed
    },
  }
}
