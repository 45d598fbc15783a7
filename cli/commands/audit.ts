import { wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, commonOptions, farmOf, showRows, withExamples } from './add-command.ts'

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
  withExamples(command, 'audit', 'audit --action deleteFarmhand', 'audit --json --limit 500').action(
    async ({ limit, ...filter }: Options) => {
      if (!/^[1-9][0-9]{0,2}$/.test(limit)) throw wrongUsage('--limit is a whole number from 1 to 500.')
      const page = await farmOf(command, context).farm.audit({ ...filter, limit: Number(limit) })
      showRows(command, context, page, () => {
        const rows = page.entries.map(({ at, key, action, parameters, outcome, origin, address }) => [
          at,
          key?.name ?? '',
          action,
          outcome,
          JSON.stringify(parameters ?? {}),
          address ?? '',
          origin,
        ])
        const header = ['At', 'Key', 'Action', 'Outcome', 'Parameters', 'Address', 'Origin']
        return { header, rows, ifNone: noRow(filter) }
      })
      if (page.next !== undefined && commonOptions(command).json !== true)
        context.notes.line(`Older ones: farmgate audit --before ${page.next}`)
    },
  )
}

/** A filter that matches no row is told as that: a name given as `--key` would else read as a key that changed nothing. */
function noRow({ before, action, key }: Omit<Options, 'limit'>): string {
  if (key !== undefined)
    return 'No row matches. --key is an id as farmgate keys lists it, or api_key; not a name.'
  if (before !== undefined || action !== undefined) return 'No row matches.'
  return 'Nothing was changed.'
}
