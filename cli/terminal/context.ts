/** The input of a command: the environment, its outputs, and a person to ask. */
import type { Environment } from '../../lib/environment.ts'
import type { Terminal } from '../../lib/terminal/keyboard.ts'
import type { TerminalPrompter } from '../../lib/terminal/prompter.ts'
import type { Output } from './output.ts'

export interface Context {
  readonly env: Environment
  /** Results. */
  readonly out: Output
  /** Questions, notes and errors. */
  readonly notes: Output
  readonly prompter: TerminalPrompter
  /** Whether there is a person to ask: the input is a terminal. */
  readonly hasPerson: boolean
  readonly input: Terminal['input']
  /** Aborted by Ctrl-C and SIGTERM; from the first use on they no longer end the process at once. */
  interrupted(): AbortSignal
  /** The process continues after the end of this command, which handles signals itself. */
  runOn(): void
}
