import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { DownloadError, type DownloadProblem } from './errors.ts'
import { type Answers, type Task, work } from './work.ts'

/** What a worker sends back: the answer or the error, and the chunk's buffer for the next one. */
export type Reply = (
  | { readonly ok: true; readonly answer: Answers[Task['do']] }
  | {
      readonly ok: false
      readonly message: string
      readonly code: string | undefined
      readonly path: string | undefined
      readonly problem: DownloadProblem | undefined
    }
) & { readonly id: number; readonly buffer: ArrayBuffer | undefined }

/** The main thread speaks only this. */
export interface Request {
  readonly id: number
  readonly task: Task
}

// On Linux this is the priority of this thread alone. The thread that keeps the session and serves tickets, and the
// game server beside us, come first; the work takes what is left.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const port = parentPort
port?.on('message', ({ id, task }: Request) => {
  const buffer = task.do === 'chunk' ? task.buffer : undefined
  let reply: Reply
  try {
    reply = { id, buffer, ok: true, answer: work(task) }
  } catch (error) {
    const { message, code, path } = error as NodeJS.ErrnoException
    const problem = error instanceof DownloadError ? error.problem : undefined
    reply = { id, buffer, ok: false, message, code, path, problem }
  }
  port.postMessage(reply, buffer === undefined ? [] : [buffer])
})
