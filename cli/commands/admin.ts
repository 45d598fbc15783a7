import { type AddCommand, farmOf, show, withExamples } from './add-command.ts'
import { personOf } from './person.ts'

export const admin: AddCommand = (program, context) => {
  const command = program
    .command('admin <name-or-id>')
    .description('make a connected player an administrator of the game server')
  withExamples(command, 'admin Robin', 'admin 5046891235124875213').action(async (given: string) => {
    const done = await farmOf(command, context).farm.grantAdmin(personOf(given))
    show(command, context, done, () => [done.message])
  })
}
