/** The other end of `apart.ts`. */
import { parentPort } from 'node:worker_threads'
import { threadRpc } from '../../lib/thread-rpc.ts'
import { errorsApart } from './apart-errors.ts'

/** Answers calls of the thread that has started this one. */
export function answerApart<Calls extends object>(calls: Calls): void {
  if (!parentPort) throw new Error('this file is a thread of farmgate')
  threadRpc<object, Calls>(parentPort, calls, errorsApart())
}
