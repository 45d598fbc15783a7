import { scopes } from '../../client/choices.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { numberOf, scopesOf, withScopes } from './options.ts'

interface Options {
  readonly scope: readonly string[]
  readonly days?: string
}

export const keys: AddCommand = (program, context) => {
  const command = program
    .command('keys')
    .description('named keys, each for one program: list, own, create, revoke')
  withExamples(command, 'keys', "keys create 'Discord bot' --scope chat", 'keys revoke 6f1c2a9b03de')
  runs(command, context, ['keys'], async ({ farm }) => {
    const record = await farm.keys()
    showRows(command, context, record, () => {
      const rows = record.keys.map(({ id, name, scopes, expiresAt, lastUsedAt }) => [
        name,
        id,
        scopes.join(', '),
        expiresAt ?? 'never',
        lastUsedAt ?? 'never',
      ])
      const header = ['Name', 'Id', 'Scopes', 'Expires', 'Last used']
      return { header, rows, ifNone: 'No named keys yet.' }
    })
  })

  const create = command
    .command('create <name>')
    .description('create a key; it is shown only once')
    .requiredOption('--scope <scopes...>', `what it may do: ${scopes.join(', ')}`)
    .option('--days <days>', 'days until it expires; never by default')
  withScopes(create)
  withExamples(
    create,
    "keys create 'Discord bot' --scope chat",
    'keys create panel --scope read control --days 365',
  )
  runs(create, context, ['createKey'], async ({ farm }, name: string, { scope, days }: Options) => {
    const asked = { name, scopes: scopesOf(scope), expiresInDays: numberOf('--days', days) }
    const made = await farm.createKey(asked)
    show(create, context, made, () => [made.key])
    context.notes.line('Keep it now: it is not shown again.')
  })

  const own = command.command('own').description('the key of these commands, and what it may do')
  withExamples(own, 'keys own')
  runs(own, context, ['ownKey'], async ({ farm }) => {
    const record = await farm.ownKey()
    show(own, context, record, () => [`${record.name} (${record.id}): ${record.scopes.join(', ')}`])
  })

  const revoke = command
    .command('revoke <id>')
    .description('revoke a key at once; asks for its name first')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(revoke, 'keys revoke 6f1c2a9b03de')
  runs(revoke, context, ['keys', 'revokeKey'], async ({ farm }, id: string, { yes }: { yes?: true }) => {
    const found = (await farm.keys()).keys.find((one) => one.id === id)
    if (found === undefined)
      throw new Failure(exitCodes.notFound, `There is no key ${id}.`, 'farmgate keys lists names and ids.')
    await confirm(
      context,
      `This ends the key ${found.name}; programs that use it are cut off.`,
      found.name,
      yes,
    )
    showMessage(revoke, context, await farm.revokeKey({ id }))
  })
}
