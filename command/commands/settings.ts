import { list } from '../terminal/table.ts'
import { type AddCommand, farmOf, show, withExamples } from './add-command.ts'

export const settings: AddCommand = (program, context) => {
  const command = program.command('settings').description('the settings of the farm and of its server')
  withExamples(command, 'settings', "settings --json | jq '.server.maxPlayers'").action(async () => {
    const record = await farmOf(command, context).farm.settings()
    show(command, context, record, () =>
      list(
        Object.entries(record).flatMap(([group, values]) =>
          Object.entries(values).map(([name, value]) => [`${group}.${name}`, String(value)] as const),
        ),
        context.out.columns(),
      ),
    )
  })
}
