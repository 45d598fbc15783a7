import { harmlessJson } from '../../lib/harmless-text.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, commonOptions, runs, showRows, withExamples } from './add-command.ts'

/** Minimum of terminal columns to show the origin and the address too. */
const wideEnough = 120

interface Options {
  readonly limit: string
  readonly before?: string
  readonly action?: string
  readonly key?: string
}

export const audit: AddCommand = (program, context) => {
  const command = program
    .command('audit')
    .description('who changed what, newest first')
    .option('--limit <rows>', 'at most 500', '20')
    .option('--before <id>', 'only rows older than this one')
    .option('--action <operation>', 'only one operation, such as setTime')
    .option('--key <id>', 'only one key: its id as farmgate keys lists it, or api_key')
  const whole = command
    .command('export')
    .description('all rows, or those of --action and --key, as lines of JSON, newest first')
  withExamples(whole, 'audit export > audit.jsonl', 'audit export --action deleteFarmhand > deleted.jsonl')
  runs(whole, context, ['exportAudit'], async ({ farm }) => {
    // `audit` reads the options of its subcommand too.
    const { action, key } = whole.optsWithGlobals<Options>()
    const decoder = new TextDecoder()
    for await (const piece of await farm.exportAudit({ action, key }))
      context.out.raw(harmlessJson(decoder.decode(piece, { stream: true })))
  })

  withExamples(command, 'audit', 'audit --action deleteFarmhand', 'audit --json --limit 500')
  runs(command, context, ['audit'], async ({ farm }, { limit, ...filter }: Options) => {
    if (!/^[1-9][0-9]{0,2}$/.test(limit)) throw wrongUsage('--limit is a whole number from 1 to 500.')
    const page = await farm.audit({ ...filter, limit: Number(limit) })
    showRows(command, context, page, () => {
      const rows = page.entries.map(({ at, key, action, parameters, outcome, origin, address }) => [
        // To the second: the whole table then fits more terminals.
        at.replace(/\.\d+Z$/, 'Z'),
        action === 'restoreBackup' && isDryRun(parameters) ? 'Restore checked' : action,
        outcome,
        key?.name ?? '',
        Object.entries(parameters)
          .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(' '),
        origin,
        address,
      ])
      const header = ['At', 'Action', 'Outcome', 'Key', 'Parameters', 'Origin', 'Address']
      const shown = context.out.columns() < wideEnough ? 5 : header.length
      const fitting = (row: readonly string[]) => row.slice(0, shown)
      return { header: fitting(header), rows: rows.map(fitting), ifNone: noRow(filter) }
    })
    if (page.next !== undefined && commonOptions(command).json !== true)
      context.notes.line(`Older ones: farmgate audit --before ${page.next}`)
  })
}

const isDryRun = (parameters: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(parameters).some(([name, value]) => name.toLowerCase() === 'dryrun' && value === 'true')

/**
 * A filter without matches is reported as such; otherwise a name given as `--key` would look like a key that changed
 * nothing.
 */
function noRow({ before, action, key }: Omit<Options, 'limit'>): string {
  if (key !== undefined)
    return 'No row matches. --key is an id as farmgate keys lists it, or api_key; not a name.'
  if (before !== undefined || action !== undefined) return 'No row matches.'
  return 'Nothing was changed.'
}
