/** What the commands have in common: the farm of the options, one way to print, examples in the help. */
import type { Command } from 'commander'
import { type Place, placeOf } from '../connection/place.ts'
import type { WhereOptions } from '../connection/where.ts'
import type { Context } from '../terminal/context.ts'
import type { Text } from '../terminal/text.ts'

/** Adds one command to the program. */
export type AddCommand = (program: Command, context: Context) => void

/** Options that every command takes. */
interface CommonOptions extends WhereOptions {
  readonly json?: true
}

export const commonOptions = (command: Command): CommonOptions => command.optsWithGlobals<CommonOptions>()

/** @throws {Failure} no farm is named */
export const farmOf = (command: Command, context: Context): Place => placeOf(commonOptions(command), context)

/** Prints a record: as JSON with `--json`, otherwise as lines for a person. */
export function show(command: Command, { out }: Context, record: unknown, lines: () => readonly Text[]) {
  if (commonOptions(command).json === true) out.json(record)
  else for (const line of lines()) out.line(line)
}

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((one) => `  $ farmgate ${one}\n`).join('')}`)
