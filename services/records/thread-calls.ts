import type { MessagePort } from 'node:worker_threads'
import type { StateChange } from './database-in-use.ts'
import type { KeeperCalls, Measured } from './keeper.ts'
import type { KeptDays } from './prune.ts'

/** How the thread keeps one database. */
export interface ThreadStart {
  /** Of the database. */
  readonly path: string
  readonly days: KeptDays
}

/** A message to the thread: keep one more database. */
export interface KeeperOrder {
  readonly start: ThreadStart
  /** For its calls. */
  readonly port: MessagePort
}

/** The last message on a port, when its keeper failed. */
export interface KeeperFailure {
  readonly failed: string
}

/** Functions that the main thread calls in the thread of the records. */
export interface RecordsThreadCalls extends KeeperCalls {
  measured(): Promise<Measured>
  /** Commits what waits, and closes the database. */
  close(): Promise<void>
}

/** Functions that the thread of the records calls in the main thread. */
export interface RecordsListener {
  changed(change: StateChange): void
  /** For the log, as a warning. */
  noted(fields: object, message: string): void
}
