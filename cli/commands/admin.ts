import { type AddCommand, farmOf, showMessage, withExamples } from './add-command.ts'
import { personOf } from './person.ts'

export const admin: AddCommand = (program, context) => {
  const command = program
    .command('admin <name-or-id>')
    .description('make a connected player an administrator of the game server')
  withExamples(command, 'admin Robin', 'admin 5046891235124875213').action(async (given: string) => {
    showMessage(command, context, await farmOf(command, context).farm.grantAdmin(personOf(given)))
  })
}
