import type { KeyHolder } from '../../handlers/key-holder.ts'
import { isOfCommandLine } from '../../lib/command-line-agent.ts'

/**
 * What the router must know of a request in addition to its method and URL; Node and the edge find it in different
 * ways.
 */
export interface Caller {
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** The client's address as far as it can be trusted. */
  readonly address: string
  /** The origin at which the client reached the server, where the runtime knows it. */
  readonly origin?: string
  /** Bytes of the request line and headers. */
  readonly headBytes: number
  /** The part of the path that was removed before the router got it; undefined where there is none. */
  readonly prefix?: string | undefined
  /** Whether there is more than one `Authorization` header. */
  readonly manyKeys: boolean
  /** Aborted when the client has left; missing where the runtime does not report this. */
  readonly over?: AbortSignal
  /** The client has sent a right key, also on `/ws`: other connections close first where there are too many. */
  hasKey?(holder: KeyHolder): void
  /** Its request has an upload, which can take longer than any other body. */
  uploads?(): void
  /** It has sent something on `/ws`: its connection is not idle. */
  active?(): void
  /** It is far above its rate: its connection ends after this answer, unless the right key was sent on it. */
  farOver?(): void
  /** Closes its connection at once, also in the middle of an answer. Undefined where the platform does it. */
  breakOff?(): void
}

/** Whether the request says that it comes from farmgate's command line. */
export const isCommand = (caller: Pick<Caller, 'header'>): boolean =>
  isOfCommandLine(caller.header('user-agent'))
