import type { AllowedAccount } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, runs, showMessage, showRows, withExamples } from './add-command.ts'

export const allowlist: AddCommand = (program, context) => {
  const command = program
    .command('allowlist')
    .description('accounts that may join; everyone else who joins is reported: list, add, remove')
  withExamples(command, 'allowlist', 'allowlist add steam:76561198385195600 --note Robin')
  runs(command, context, ['allowlist'], async ({ farm }) => {
    const record = await farm.allowlist()
    showRows(command, context, record, () => ({
      header: ['Account', 'Note'],
      rows: record.accounts.map((one) => [nameOf(one), one.note ?? '']),
      ifNone: 'The list is empty: everyone may join.',
    }))
  })

  const add = command
    .command('add <account>')
    .description('add a Steam or GOG Galaxy account, or change its note')
    .option('--note <text>', 'who it is')
  withExamples(add, 'allowlist add steam:76561198385195600 --note Robin')
  runs(
    add,
    context,
    ['allowlist', 'setAllowlist'],
    async ({ farm }, text: string, { note }: { note?: string }) => {
      const account = accountOf(text)
      const others = (await farm.allowlist()).accounts.filter((one) => nameOf(one) !== nameOf(account))
      showMessage(add, context, await farm.setAllowlist({ accounts: [...others, { ...account, note }] }))
    },
  )

  const remove = command.command('remove <account>').description('remove an account')
  withExamples(remove, 'allowlist remove steam:76561198385195600')
  runs(remove, context, ['allowlist', 'setAllowlist'], async ({ farm }, text: string) => {
    const name = nameOf(accountOf(text))
    const { accounts } = await farm.allowlist()
    const others = accounts.filter((one) => nameOf(one) !== name)
    if (others.length === accounts.length)
      throw new Failure(exitCodes.notFound, `${name} is not on the list.`, 'farmgate allowlist shows it.')
    showMessage(remove, context, await farm.setAllowlist({ accounts: others }))
  })
}

const nameOf = ({ platform, id }: AllowedAccount): string => `${platform}:${id}`

function accountOf(text: string): AllowedAccount {
  const [, platform, id] = /^(steam|galaxy):([1-9][0-9]{0,19})$/.exec(text) ?? []
  if (platform !== undefined && id !== undefined) return { platform: platform as 'steam' | 'galaxy', id }
  throw wrongUsage('An account is steam:<Steam64 id> or galaxy:<GOG id>: steam:76561198385195600')
}
