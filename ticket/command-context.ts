import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Terminal } from '../lib/terminal/keyboard.ts'
import type { TerminalPrompter } from '../lib/terminal/prompter.ts'
import type { TicketConfig } from './config.ts'
import type { Secrets } from './secrets.ts'

/** Everything that a command receives. */
export interface CommandContext {
  readonly config: TicketConfig
  readonly log: Log
  readonly secrets: Secrets
  readonly clock: Clock
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
  /** Flags of the command line, such as `qr`. */
  readonly flags: ReadonlySet<string>
  /** Whether log lines are for a person at a terminal. */
  readonly pretty: boolean
  /** Whether they may have colours. */
  readonly colours: boolean
  /** Asks on stderr and reads answers from stdin, a terminal or a pipe. */
  readonly prompter: TerminalPrompter
  /** Stderr. */
  readonly output: Terminal['output']
  /** Whether progress is a bar there. */
  readonly drawsBar: boolean
  /** Writes to stdout, which is for results only. */
  result(text: string): Promise<void>
  /** Writes a line for a person to stderr. */
  say(text: string): void
}

/** What every file in `commands/` exports as `run`. It returns on success and throws a Failure otherwise. */
export type RunCommand = (context: CommandContext) => Promise<void>
