import { parentPort } from 'node:worker_threads'
import { threadRpc } from '../../thread-rpc.ts'
import { work } from './tasks.ts'

/** Functions that the pool calls in a worker thread. */
export interface WorkerCalls {
  work: typeof work
}

if (!parentPort) throw new Error('this file is a thread')
threadRpc<object, WorkerCalls>(parentPort, { work })
