import { type AddCommand, commonOptions, runs, withExamples } from './add-command.ts'
import { authorOf } from './author.ts'

export const say: AddCommand = (program, context) => {
  const command = program
    .command('say <message...>')
    .description('say a line in the chat of the game')
    .option('--as <author>', 'the name in front of it (your user name)')
  withExamples(command, 'say hello', "say --as Discord 'the server restarts at 6'")
  runs(
    command,
    context,
    ['health', 'live'],
    async ({ farm }, words: readonly string[], { as }: { as?: string }) => {
      // An address without an answer fails at once; a live connection would keep retrying.
      await farm.health()
      const live = farm.live({ topics: [] })
      const line = { author: authorOf(as), message: words.join(' ') }
      try {
        await live.say(line)
      } finally {
        live.close()
      }
      if (commonOptions(command).json === true) context.out.json({ success: true, ...line })
      else context.notes.line(`Said as ${line.author}.`)
    },
  )
}
