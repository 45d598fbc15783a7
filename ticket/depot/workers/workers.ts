import { Worker } from 'node:worker_threads'
import { threadLimits } from '../../thread-limits.ts'
import { DownloadError, storageError } from '../errors.ts'
import type { Answers, Task } from './work.ts'
import type { Reply, Request } from './worker.ts'

/** Worker threads that do what costs processor time. */
export interface Workers {
  /** Runs a task on the next free thread. File system failures come as `DownloadError`. */
  run<Name extends Task['do']>(task: Extract<Task, { do: Name }>): Promise<Answers[Name]>
  /** Ends the threads; tasks under way reject with `aborted`. */
  close(): Promise<void>
}

interface Waiting {
  readonly task: Task
  readonly resolve: (answer: Answers[Task['do']]) => void
  readonly reject: (error: unknown) => void
}

/** Tasks a thread has at once: one at work and one ready, so that it never waits for the one that hands them out. */
const tasksPerThread = 2

/** Starts `count` threads. */
export function startWorkers(count: number): Workers {
  const queue: Waiting[] = []
  const threads = Array.from({ length: count }, () => ({
    worker: new Worker(new URL('./worker.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: threadLimits,
    }),
    tasks: new Map<number, Waiting>(),
    /** Tasks that need the processor, not only the disk. */
    busy: 0,
  }))
  let lastId = 0
  let ended: { readonly error: unknown } | undefined

  type Thread = (typeof threads)[number]

  const leastBusy = (count: (thread: Thread) => number): Thread =>
    threads.reduce((a, b) => (count(b) < count(a) ? b : a))

  const post = (thread: Thread, waiting: Waiting): void => {
    const { task } = waiting
    const request: Request = { id: ++lastId, task }
    thread.tasks.set(request.id, waiting)
    if (!waitsForDisk(task)) thread.busy += 1
    thread.worker.postMessage(request)
  }

  const hand = (): void => {
    while (queue.length > 0) {
      const thread = leastBusy(({ busy }) => busy)
      const next = thread.busy < tasksPerThread ? queue.shift() : undefined
      if (next === undefined) return
      post(thread, next)
    }
  }

  const fail = (error: unknown): void => {
    // The first error says most: what ends after it ends because of it.
    ended ??= { error }
    for (const waiting of [...queue.splice(0), ...threads.flatMap(({ tasks }) => [...tasks.values()])]) {
      waiting.reject(ended.error)
    }
    for (const { tasks } of threads) tasks.clear()
  }

  for (const thread of threads) {
    const { worker, tasks } = thread
    worker.on('message', (reply: Reply) => {
      const waiting = tasks.get(reply.id)
      if (waiting === undefined) return
      tasks.delete(reply.id)
      if (!waitsForDisk(waiting.task)) thread.busy -= 1
      if (reply.ok) waiting.resolve(reply.answer)
      else waiting.reject(errorOf(reply))
      hand()
    })
    worker.on('error', fail)
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended.error)
        // The answer's type follows from the task's name: `work` returns `Answers[task.do]`.
        const waiting = { task, resolve: resolve as Waiting['resolve'], reject }
        if (waitsForDisk(task)) {
          const thread = leastBusy(({ tasks }) => tasks.size)
          return post(thread, waiting)
        }
        queue.push(waiting)
        hand()
      }),
    async close() {
      fail(new DownloadError('aborted', 'the download was stopped'))
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

/** Such a task takes no turn: beside it the thread goes on with others. */
function waitsForDisk(task: Task): boolean {
  return task.do === 'finish'
}

function errorOf(reply: Extract<Reply, { ok: false }>): unknown {
  if (reply.problem !== undefined) return new DownloadError(reply.problem, reply.message)
  const error = Object.assign(new Error(reply.message), reply.code === undefined ? {} : { code: reply.code })
  return storageError(error, reply.path ?? 'game directory')
}
