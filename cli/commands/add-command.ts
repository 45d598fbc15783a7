/** The common parts of the commands: the farm of the options, one way to print, examples in the help. */
import type { Command } from 'commander'
import { type Place, placeOf } from '../connection/place.ts'
import type { WhereOptions } from '../connection/where.ts'
import type { Context } from '../terminal/context.ts'
import { table } from '../terminal/table.ts'
import type { Text } from '../terminal/text.ts'

/** Adds one command to the program. */
export type AddCommand = (program: Command, context: Context) => void

/** The options of every command. */
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

/** Prints what was done. */
export const showMessage = (command: Command, context: Context, done: { readonly message: string }) =>
  show(command, context, done, () => [done.message])

/** Rows of a record, and the note that replaces them when there are none. */
interface Rows {
  readonly header: readonly string[]
  readonly rows: readonly (readonly Text[])[]
  readonly ifNone: string
}

/** Prints a record: as JSON with `--json`, otherwise as a table. An empty result prints a note to stderr. */
export function showRows(command: Command, context: Context, record: unknown, rowsOf: () => Rows) {
  const { out, notes } = context
  show(command, context, record, () => {
    const { header, rows, ifNone } = rowsOf()
    if (rows.length > 0) return table(header, rows, out.columns())
    notes.line(ifNone)
    return []
  })
}

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((one) => `  $ farmgate ${one}\n`).join('')}`)
