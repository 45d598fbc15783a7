import { type AddCommand, runs, showMessage, withExamples } from './add-command.ts'

export const announce: AddCommand = (program, context) => {
  const command = program.command('announce <message...>').description('say a line to everyone as the server')
  withExamples(command, "announce 'the farm restarts at 6'")
  runs(command, context, ['announce'], async ({ farm }, words: readonly string[]) => {
    showMessage(command, context, await farm.announce({ message: words.join(' ') }))
  })
}
