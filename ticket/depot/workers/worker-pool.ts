import { Worker } from 'node:worker_threads'
import { DownloadError } from '../../errors.ts'
import { threadLimits } from '../../thread-limits.ts'
import { threadRpc } from '../../thread-rpc.ts'
import { storageError } from '../storage-error.ts'
import type { Answers, Task } from './tasks.ts'
import type { WorkerCalls } from './worker-thread.ts'

/** A pool of worker threads for work that needs much processor time. */
export type Workers = ReturnType<typeof startWorkers>

/** Tasks per thread: one that runs and one that waits in the thread, so that it can start without a message. */
const tasksPerThread = 2

interface Waiting {
  readonly task: Task
  readonly resolve: (answer: Answers[Task['do']]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Starts `count` threads.
 *
 * piscina 5.3 is not used. Measured alternately on one machine with two processors, it has the same speed (384 MiB of
 * zip in 3.1 s) and memory. But here a task that waits for the disk does not occupy a thread, and all pending tasks
 * reject with the first error; both would need code around piscina.
 */
export function startWorkers(count: number) {
  const queue: Waiting[] = []
  const threads = Array.from({ length: count }, () => {
    const worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: threadLimits,
    })
    // `tasks` counts all tasks of the thread, `busy` only those that need the processor.
    return { worker, calls: threadRpc<WorkerCalls, object>(worker, {}), tasks: 0, busy: 0 }
  })
  let ended: Error | undefined

  type Thread = (typeof threads)[number]

  const leastBusy = (count: (thread: Thread) => number): Thread =>
    threads.reduce((a, b) => (count(b) < count(a) ? b : a))

  const start = (thread: Thread, { task, resolve, reject }: Waiting): void => {
    const cost = waitsForDisk(task) ? 0 : 1
    thread.tasks += 1
    thread.busy += cost
    const done = (): void => {
      thread.tasks -= 1
      thread.busy -= cost
      startNext()
    }
    thread.calls.work(task).then(
      (answer) => {
        done()
        resolve(answer)
      },
      (error: unknown) => {
        done()
        reject(storageError(error, pathOf(error)))
      },
    )
  }

  const startNext = (): void => {
    while (queue.length > 0) {
      const thread = leastBusy(({ busy }) => busy)
      const next = thread.busy < tasksPerThread ? queue.shift() : undefined
      if (next === undefined) return
      start(thread, next)
    }
  }

  const fail = (error: Error): void => {
    // The first error is the cause; later ones follow from it.
    ended ??= error
    for (const { reject } of queue.splice(0)) reject(ended)
    for (const { calls } of threads) calls.$close(ended)
  }

  for (const { worker } of threads) worker.on('error', fail)

  return {
    /** Runs a task on the next free thread. @throws DownloadError, also for errors of the file system */
    run: <Name extends Task['do']>(task: Extract<Task, { do: Name }>) =>
      new Promise<Answers[Name]>((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        // The answer's type follows from the task's name: `work` returns `Answers[task.do]`.
        const waiting = { task, resolve: resolve as Waiting['resolve'], reject }
        if (waitsForDisk(task))
          return start(
            leastBusy(({ tasks }) => tasks),
            waiting,
          )
        queue.push(waiting)
        startNext()
      }),
    /** Ends the threads; tasks in progress reject with `aborted`. */
    async close(): Promise<void> {
      fail(new DownloadError('aborted', 'the download was stopped'))
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

/** Whether a task mostly waits for the disk. Its thread runs other tasks at the same time. */
function waitsForDisk(task: Task): boolean {
  return task.do === 'finish'
}

function pathOf(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : 'game directory'
}
