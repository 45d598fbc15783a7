import { Worker } from 'node:worker_threads'
import { DownloadError, storageError } from './errors.ts'
import type { Answers, Task } from './work.ts'
import type { Reply, Request } from './worker.ts'

/** Worker threads that do what costs processor time. */
export interface Workers {
  /** Runs a task on the next free thread. File system failures come as `DownloadError`. */
  run<Name extends Task['do']>(task: Extract<Task, { do: Name }>): Promise<Answers[Name]>
  /** A buffer of at least this many bytes, which `run` of a chunk gives back for the next one. */
  buffer(length: number): ArrayBuffer
  /** Gives back a buffer that was not run. */
  recycle(buffer: ArrayBuffer): void
  /** Ends the threads; tasks under way reject with `aborted`. */
  close(): Promise<void>
}

interface Waiting {
  readonly task: Task
  readonly resolve: (answer: Answers[Task['do']]) => void
  readonly reject: (error: unknown) => void
}

/** Tasks a thread has at once: one at work and one ready, so that it never waits for the main thread. */
const DEPTH = 2
const SPARE_BUFFERS = 32

/** Starts `count` threads. */
export function startWorkers(count: number): Workers {
  const queue: Waiting[] = []
  const spare: ArrayBuffer[] = []
  const threads = Array.from({ length: count }, () => ({
    worker: new Worker(new URL('./worker.ts', import.meta.url), { execArgv: [] }),
    tasks: new Map<number, Waiting>(),
  }))
  let lastId = 0
  let closed = false

  const recycle = (buffer: ArrayBuffer): void => {
    if (spare.length < SPARE_BUFFERS) spare.push(buffer)
  }

  const hand = (): void => {
    while (queue.length > 0) {
      const thread = threads.reduce((a, b) => (b.tasks.size < a.tasks.size ? b : a))
      const next = thread.tasks.size < DEPTH ? queue.shift() : undefined
      if (next === undefined) return
      const id = ++lastId
      thread.tasks.set(id, next)
      const request: Request = { id, task: next.task }
      thread.worker.postMessage(request, next.task.do === 'chunk' ? [next.task.buffer] : [])
    }
  }

  const fail = (error: unknown): void => {
    closed = true
    for (const waiting of [...queue.splice(0), ...threads.flatMap(({ tasks }) => [...tasks.values()])]) {
      waiting.reject(error)
    }
    for (const { tasks } of threads) tasks.clear()
  }

  for (const { worker, tasks } of threads) {
    worker.on('message', (reply: Reply) => {
      const waiting = tasks.get(reply.id)
      tasks.delete(reply.id)
      if (reply.buffer !== undefined) recycle(reply.buffer)
      if (waiting !== undefined) {
        if (reply.ok) waiting.resolve(reply.answer)
        else waiting.reject(errorOf(reply))
      }
      hand()
    })
    worker.on('error', fail)
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new DownloadError('aborted', 'the download was stopped'))
        // The answer's type follows from the task's name: `work` returns `Answers[task.do]`.
        queue.push({ task, resolve: resolve as Waiting['resolve'], reject })
        hand()
      }),
    buffer(length) {
      const index = spare.findIndex((buffer) => buffer.byteLength >= length)
      const [found] = index < 0 ? [] : spare.splice(index, 1)
      return found ?? new ArrayBuffer(Math.ceil((length + 1) / 2 ** 18) * 2 ** 18)
    },
    recycle,
    async close() {
      fail(new DownloadError('aborted', 'the download was stopped'))
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

function errorOf(reply: Extract<Reply, { ok: false }>): unknown {
  if (reply.problem !== undefined) return new DownloadError(reply.problem, reply.message)
  const error = Object.assign(new Error(reply.message), reply.code === undefined ? {} : { code: reply.code })
  return storageError(error, reply.path ?? 'game directory')
}
