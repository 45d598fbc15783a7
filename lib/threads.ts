/** Worker threads: one for a single piece of work, and one that restarts whenever it ends. */
import type { BirpcReturn } from 'birpc'
import { type BackOff, restartDelays } from './back-off.ts'
import type { Clock } from './clock.ts'
import { type ErrorsInMessages, type ThreadPort, threadRpc } from './thread-rpc.ts'
import { withTimeLimit } from './time-limit.ts'

/** A `Worker`, as far as its life matters here. */
export interface WorkerThread {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
  terminate(): Promise<unknown>
}

interface ThreadParts<Remote extends object, Local extends object> {
  /** What the thread may call. */
  readonly functions: Local
  readonly errors: ErrorsInMessages
  /** Functions of the thread that send no answer. */
  readonly events?: (keyof Remote)[]
  /** The channel to the thread, where it is not the thread itself. */
  readonly portOf?: (thread: WorkerThread) => ThreadPort
  /** The error of calls without an answer at the end of the thread. @param cause the error that ended it, if any */
  lost(cause: Error | undefined): Error
}

/** @returns the functions of a thread. Calls without an answer reject when it ends. */
export function callsOfThread<Remote extends object, Local extends object>(
  thread: WorkerThread,
  { functions, errors, events, portOf = () => thread, lost }: ThreadParts<Remote, Local>,
): BirpcReturn<Remote, Local> {
  const calls = threadRpc<Remote, Local>(portOf(thread), functions, errors, events)
  let cause: Error | undefined
  thread.on('error', (error) => {
    cause = error
  })
  thread.on('exit', () => calls.$close(lost(cause)))
  return calls
}

/** Does one piece of work in a thread, and ends the thread. */
export async function inThread<Remote extends object, Local extends object, Done>(
  thread: WorkerThread,
  parts: ThreadParts<Remote, Local>,
  work: (calls: BirpcReturn<Remote, Local>) => Promise<Done>,
): Promise<Done> {
  try {
    return await work(callsOfThread(thread, parts))
  } finally {
    await thread.terminate()
  }
}

interface KeptThreadParts<Remote extends object, Local extends object> extends ThreadParts<Remote, Local> {
  launch(): WorkerThread
  /** The waits before a restart; they begin with the first again after a run of `stableAfter` milliseconds. */
  readonly delays: BackOff & { readonly stableAfter: number }
  readonly clock: Pick<Clock, 'monotonic' | 'after' | 'random'>
  onError(error: Error): void
  /** It has ended, and will restart. @param wait milliseconds until then */
  onEnded(wait: number): void
  /** Called before a restart. */
  onRestart?(): void
}

export interface KeptThread<Remote extends object, Local extends object> {
  /** The functions of the newest thread; each rejects while none runs. */
  readonly calls: BirpcReturn<Remote, Local>
  /** Waits for the last calls, one after the other and each for at most `within` milliseconds, and ends the thread. */
  close(
    ...last: readonly { readonly within: number; call(calls: BirpcReturn<Remote, Local>): Promise<void> }[]
  ): Promise<void>
}

/** Starts a thread, and restarts it whenever it ends. */
export function keepThread<Remote extends object, Local extends object>(
  parts: KeptThreadParts<Remote, Local>,
): KeptThread<Remote, Local> {
  const { clock } = parts
  const nextDelay = restartDelays(parts.delays)
  let isClosing = false
  let cancelRestart = () => {}
  const launch = () => {
    const startedAt = clock.monotonic()
    const worker = parts.launch()
    const calls = callsOfThread(worker, parts)
    worker.on('error', parts.onError)
    worker.on('exit', () => {
      if (isClosing) return
      const wait = nextDelay(clock.monotonic() - startedAt, clock.random())
      parts.onEnded(wait)
      cancelRestart = clock.after(wait, () => {
        parts.onRestart?.()
        thread = launch()
      })
    })
    return { worker, calls }
  }
  let thread = launch()
  return {
    get calls() {
      return thread.calls
    },
    async close(...last) {
      isClosing = true
      cancelRestart()
      for (const { within, call } of last)
        await withTimeLimit(within, call(thread.calls), () => new Error('too late')).catch(() => undefined)
      await thread.worker.terminate()
    },
  }
}
