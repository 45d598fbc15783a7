/** What a command gets: the environment, its outputs, and a person who can be asked. */
import type { Environment } from '../../lib/environment.ts'
import type { TerminalPrompter } from '../../lib/terminal/prompter.ts'
import type { Output } from './output.ts'

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
  /** The process runs on after the end of this command, which handles signals itself. */
  runOn(): void
}
