/** The thread that writes the pack; `kept-pack.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { threadRpc } from '../../lib/thread-rpc.ts'
import { type PackCalls, packCalls, packErrors } from './pack-calls.ts'

if (!parentPort) throw new Error('this file is a thread of serve')
threadRpc<object, PackCalls>(parentPort, packCalls, packErrors)
