/** The thread that writes a large archive, or reads it back; `archive-apart.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { threadRpc } from '../../lib/thread-rpc.ts'
import { type ArchiveCalls, archiveCalls, archiveErrors } from './archive-calls.ts'

if (!parentPort) throw new Error('this file is a thread of serve')
threadRpc<object, ArchiveCalls>(parentPort, archiveCalls, archiveErrors)
