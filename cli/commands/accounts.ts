import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, showMessage, showRows, withExamples } from './add-command.ts'
import { scopesOf } from './options.ts'

export const accounts: AddCommand = (program, context) => {
  const command = program
    .command('accounts')
    .description('people who sign in with their own account: list, scopes, groups, delete')
  withExamples(command, 'accounts', 'accounts scopes 6f1c2a9b03de read chat')
  runs(command, context, ['accounts'], async ({ farm }) => {
    const record = await farm.accounts()
    showRows(command, context, record, () => ({
      header: ['Name', 'Id', 'Signs in with', 'Scopes', 'By groups', 'Last sign-in'],
      rows: record.accounts.map(({ name, id, provider, scopes, groupScopes, signedInAt }) => [
        ...[name, id, provider, scopes.join(', ') || 'none', groupScopes.join(', ') || 'none', signedInAt],
      ]),
      ifNone: 'No one has signed in yet. Invite someone: farmgate invitations create --scope read',
    }))
  })

  const scopes = command
    .command('scopes <id> [scopes...]')
    .description('replace the scopes of a person; without scopes, only those of groups stay')
  withExamples(scopes, 'accounts scopes 6f1c2a9b03de read chat')
  runs(scopes, context, ['changeAccount'], async ({ farm }, id: string, given: readonly string[]) => {
    showMessage(scopes, context, await farm.changeAccount({ id, scopes: scopesOf(given) }))
  })

  const groups = command
    .command('groups')
    .description('Discord roles and OIDC groups that give scopes; with --set they are replaced')
    .option('--set <provider:id=scopes...>', 'as discord:539082325061836999=read,chat; none to remove all')
  withExamples(groups, 'accounts groups', 'accounts groups --set oidc:farmers=read,chat')
  runs(
    groups,
    context,
    ['setAccountGroups', 'accounts'],
    async ({ farm }, { set }: { set?: readonly string[] }) => {
      if (set !== undefined) {
        const wanted = set.join() === 'none' ? [] : set.map(groupOf)
        showMessage(groups, context, await farm.setAccountGroups({ groups: wanted }))
        return
      }
      const record = { groups: (await farm.accounts()).groups }
      showRows(groups, context, record, () => ({
        header: ['Provider', 'Group', 'Scopes'],
        rows: record.groups.map((one) => [one.provider, one.id, one.scopes.join(', ')]),
        ifNone: 'No group gives scopes.',
      }))
    },
  )

  const remove = command
    .command('delete <id>')
    .description('remove a person and end the sessions; asks for the name first')
    .option('--keys', 'revoke the keys that the person has made, too')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(remove, 'accounts delete 6f1c2a9b03de --keys')
  runs(
    remove,
    context,
    ['accounts', 'deleteAccount'],
    async ({ farm }, id: string, { keys, yes }: { keys?: true; yes?: true }) => {
      const found = (await farm.accounts()).accounts.find((one) => one.id === id)
      if (found === undefined)
        throw new Failure(exitCodes.notFound, `There is no account ${id}.`, 'farmgate accounts lists them.')
      await confirm(context, `This removes ${found.name} and ends the sessions.`, found.name, yes)
      showMessage(remove, context, await farm.deleteAccount({ id, keys }))
    },
  )
}

function groupOf(text: string) {
  const [, provider, id, given = ''] = /^(discord|oidc):(.+)=([a-z,]+)$/.exec(text) ?? []
  if (provider !== undefined && id !== undefined)
    return { provider: provider as 'discord' | 'oidc', id, scopes: scopesOf(given.split(',')) }
  throw wrongUsage('A group is <provider>:<id>=<scopes>: discord:539082325061836999=read,chat')
}
