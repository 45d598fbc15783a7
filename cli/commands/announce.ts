import { type AddCommand, farmOf, showMessage, withExamples } from './add-command.ts'

export const announce: AddCommand = (program, context) => {
  const command = program.command('announce <message...>').description('say a line to everyone as the server')
  withExamples(command, "announce 'the farm restarts at 6'").action(async (words: readonly string[]) => {
    showMessage(command, context, await farmOf(command, context).farm.announce({ message: words.join(' ') }))
  })
}
