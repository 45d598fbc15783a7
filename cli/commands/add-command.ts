/** The common parts of the commands: the farm of the options, one way to print, examples in the help. */
import type { Command } from 'commander'
import { routesOf } from '../../client/call.ts'
import type { CallName } from '../../client/calls.ts'
import type { Farm } from '../../client/index.ts'
import { routeTexts } from '../../client/routes.ts'
import { type Place, placeOf } from '../connection/place.ts'
import type { WhereOptions } from '../connection/where.ts'
import { confirm } from '../terminal/confirm.ts'
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

/**
 * Runs a command with the calls of the client that its help names, and with no others.
 * @param action gets the farm of the options, then the arguments and options of the command
 */
export function runs<const Name extends keyof Farm, Given extends readonly unknown[]>(
  command: Command,
  context: Context,
  calls: readonly Name[],
  action: (place: PlaceWith<Name>, ...given: Given) => Promise<void>,
): void {
  withCalls(command, ...calls.map(callText))
  // commander passes what the command declares.
  command.action((...given) =>
    action(placeOf(commonOptions(command), context), ...(given as unknown as Given)),
  )
}

/** A farm of which a command makes some calls. */
export interface PlaceWith<Name extends keyof Farm> extends Omit<Place, 'farm'> {
  readonly farm: Pick<Farm, Name>
}

const routes = routesOf(routeTexts)
/** The calls that the client does not make by a route. */
type OtherCall = Exclude<keyof Farm, CallName>
const otherCalls: Readonly<Record<OtherCall, string>> = {
  downloadBackup: 'GET /backups/download',
  exportAudit: 'GET /audit/export',
  live: 'GET /ws',
  metrics: 'GET /metrics',
}

/** A call as the documents write it, such as `POST /keys`. */
function callText(name: keyof Farm): string {
  const route = routes.get(name)
  return route === undefined ? otherCalls[name as OtherCall] : `${route.method} ${route.path}`
}

/** Asks for the name of the farm before something of it is lost; see `confirm`. */
export async function confirmForFarm(
  { farm }: PlaceWith<'status'>,
  context: Context,
  warning: string,
  isSure = false,
): Promise<void> {
  if (isSure) return
  const name = context.hasPerson ? (await farm.status()).farmName || 'yes' : ''
  await confirm(context, warning, name)
}

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

/** Names the calls of a command in its help. @param calls as the documents write them */
export const withCalls = (command: Command, ...calls: readonly string[]): Command =>
  command.addHelpText('after', calls.length === 0 ? '' : `\nCalls: ${calls.join(', ')}`)

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((one) => `  $ farmgate ${one}\n`).join('')}`)
