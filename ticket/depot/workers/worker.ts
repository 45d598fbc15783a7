import { parentPort } from 'node:worker_threads'
import { DownloadError, type DownloadProblem } from '../errors.ts'
import { type Answers, type Task, work } from './work.ts'

/** What a worker sends back: the answer or the error. */
export type Reply = (
  | { readonly ok: true; readonly answer: Answers[Task['do']] }
  | {
      readonly ok: false
      readonly message: string
      readonly code: string | undefined
      readonly path: string | undefined
      readonly problem: DownloadProblem | undefined
    }
) & { readonly id: number }

/** What a worker is asked. */
export interface Request {
  readonly id: number
  readonly task: Task
}

const port = parentPort
port?.on('message', ({ id, task }: Request) => {
  const answered = (answer: Answers[Task['do']]): void => reply({ id, ok: true, answer })
  const failed = (error: unknown): void => {
    const { message, code, path } = error as NodeJS.ErrnoException
    const problem = error instanceof DownloadError ? error.problem : undefined
    reply({ id, ok: false, message, code, path, problem })
  }
  try {
    const answer = work(task)
    if (answer instanceof Promise) answer.then(answered, failed)
    else answered(answer)
  } catch (error) {
    failed(error)
  }
})

function reply(answer: Reply): void {
  port?.postMessage(answer)
}
