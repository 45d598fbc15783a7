/**
 * The threads of the records. A thread keeps the databases of all farms of this process whose folders are on one file
 * system: a thread needs several MiB, and a disk that hangs stops only the farms on it. A database that has failed gets its
 * own thread, because others must not wait until a corrupt one is read.
 */
import { EventEmitter } from 'node:events'
import { statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { WorkerThread } from '../../lib/threads.ts'
import type { KeeperFailure, KeeperOrder, ThreadStart } from './thread-calls.ts'

interface SharedThread {
  readonly worker: Worker
  readonly ports: Set<MessagePort>
}

/** By the number of the file system, or the path of the only database. */
const threads = new Map<number | string, SharedThread>()
/** Paths of the databases that have failed. */
const failed = new Set<string>()
/** It runs, and has no database yet. */
let prepared: Worker | undefined

/** Starts the thread of the first database early: it loads while the caller's own thread loads the rest of the program. */
export function prepareThread(): void {
  const worker = newThread()
  prepared = worker
  // Neither keeps the process running nor ends it.
  worker.unref()
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    if (prepared === worker) prepared = undefined
  })
}

const newThread = () => new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url))

/**
 * Has a database kept. @returns it as if it had its own thread: it ends with the thread, or alone when its keeper fails,
 * and ends the thread when it is the last one there
 */
export function launchKeeper(start: ThreadStart): WorkerThread {
  const { worker, ports } = threadOf(failed.has(start.path) ? start.path : fileSystemOf(dirname(start.path)))
  const { port1: port, port2 } = new MessageChannel()
  const events = new EventEmitter()
  const onError = (error: Error) => events.emit('error', error)
  ports.add(port)
  worker.on('error', onError)
  port.on('message', (message: KeeperFailure | readonly unknown[]) => {
    if (!('failed' in message)) return events.emit('message', message)
    failed.add(start.path)
    return onError(new Error(message.failed))
  })
  port.on('close', () => {
    ports.delete(port)
    worker.off('error', onError)
    if (ports.size === 0) void worker.terminate()
    events.emit('exit')
  })
  worker.postMessage({ start, port: port2 } satisfies KeeperOrder, [port2])
  return Object.assign(events, {
    postMessage: (message: unknown) => port.postMessage(message),
    async terminate() {
      ports.delete(port)
      port.close()
      if (ports.size === 0) await worker.terminate()
    },
  })
}

function threadOf(key: number | string): SharedThread {
  const running = threads.get(key)
  if (running !== undefined) return running
  const worker = prepared ?? newThread()
  prepared = undefined
  worker.ref()
  const thread = { worker, ports: new Set<MessagePort>() }
  // Each database adds a listener.
  worker.setMaxListeners(0)
  worker.on('exit', () => {
    if (threads.get(key) === thread) threads.delete(key)
  })
  threads.set(key, thread)
  return thread
}

/** @returns 0 for a folder that is missing and cannot be made */
function fileSystemOf(folder: string): number {
  try {
    return statSync(folder).dev
  } catch {
    return 0
  }
}
