/** Exit codes of the command line (docs/cli.md, "Exit codes"). */
import { exitCodes as common } from '../../lib/exit-codes.ts'

export const exitCodes = {
  ...common,
  /** The key is not accepted, may not do this, or the farm's state forbids it now. */
  refused: 3,
  notFound: 4,
  /** farmgate does not answer, or the game behind it is offline. */
  notReachable: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
