/** What a command gets: the farm, its outputs, and a person who can be asked. */
import { type ConnectOptions, connect, type Farm } from '../client/index.ts'
import type { Environment } from '../process/environment.ts'
import type { TerminalPrompter } from '../process/terminal/prompter.ts'
import type { Where, WhereOptions } from './connection/where.ts'
import type { Output } from './terminal/output.ts'

/** Options that every command takes. */
export interface CommonOptions extends WhereOptions {
  readonly json?: true
}

export interface Context {
  readonly env: Environment
  /** Results. */
  readonly out: Output
  /** Questions, notes and errors. */
  readonly notes: Output
  readonly prompter: TerminalPrompter
  /** Whether a person can be asked: the input is a terminal. */
  readonly hasPerson: boolean
  readonly input: NodeJS.ReadStream
  /** Aborted by Ctrl-C and SIGTERM; from the first use on they no longer end the process at once. */
  interrupted(): AbortSignal
  /** As long as it is called, the process runs on after the command's end, and ends by itself. */
  runOn(): void
}

/** A farm, with its address and key. */
export interface Place extends Where {
  readonly farm: Farm
}

/** @param options of the client, for single calls */
export function place(
  { url, key }: Where,
  context: Pick<Context, 'interrupted'>,
  options: Partial<ConnectOptions> = {},
): Place {
  return { url, key, farm: connect({ url, key, signal: context.interrupted(), ...options }) }
}
