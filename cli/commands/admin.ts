import { type AddCommand, runs, showMessage, withExamples } from './add-command.ts'
import { personOf } from './person.ts'

export const admin: AddCommand = (program, context) => {
  const command = program
    .command('admin <name-or-id>')
    .description('make a connected player an administrator of the game server')
  withExamples(command, 'admin Robin', 'admin 5046891235124875213')
  runs(command, context, ['grantAdmin'], async ({ farm }, given: string) => {
    showMessage(command, context, await farm.grantAdmin(personOf(given)))
  })
}
