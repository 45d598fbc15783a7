import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { numberOf, scopesOf } from './options.ts'

interface Options {
  readonly scope: readonly string[]
  readonly days?: string
  readonly uses?: string
}

export const invitations: AddCommand = (program, context) => {
  const command = program
    .command('invitations')
    .description('links that give scopes to people who sign in: list, create, delete')
  withExamples(command, 'invitations', 'invitations create --scope read chat --uses 5')
  runs(command, context, ['invitations'], async ({ farm }) => {
    const record = await farm.invitations()
    showRows(command, context, record, () => ({
      header: ['Id', 'Scopes', 'Used', 'Expires'],
      rows: record.invitations.map(({ id, scopes, used, uses, expiresAt }) => [
        ...[id, scopes.join(', '), `${used} of ${uses}`, expiresAt],
      ]),
      ifNone: 'No invitations can be accepted.',
    }))
  })

  const create = command
    .command('create')
    .description('make an invitation; its link is shown only once')
    .requiredOption('--scope <scopes...>', 'what it gives')
    .option('--days <days>', 'days until it expires')
    .option('--uses <people>', 'how many people may accept it')
  withExamples(create, 'invitations create --scope read chat --days 7 --uses 5')
  runs(create, context, ['createInvitation'], async ({ farm }, { scope, days, uses }: Options) => {
    const made = await farm.createInvitation({
      scopes: scopesOf(scope),
      expiresInDays: numberOf('--days', days),
      uses: numberOf('--uses', uses),
    })
    show(create, context, made, () => [made.url])
    context.notes.line('Send it now: it is not shown again.')
  })

  const remove = command
    .command('delete <id>')
    .description('delete an invitation; people who have accepted it keep their scopes; asks for its id first')
    .option('-y, --yes', 'do not ask for the id')
  withExamples(remove, 'invitations delete 6f1c2a9b03de')
  runs(
    remove,
    context,
    ['invitations', 'deleteInvitation'],
    async ({ farm }, id: string, { yes }: { yes?: true }) => {
      if (!(await farm.invitations()).invitations.some((one) => one.id === id))
        throw new Failure(
          exitCodes.notFound,
          `There is no invitation ${id}.`,
          'farmgate invitations lists them.',
        )
      await confirm(context, 'This deletes the invitation: its link no longer works.', id, yes)
      showMessage(remove, context, await farm.deleteInvitation({ id }))
    },
  )
}
