import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, showMessage, withExamples } from './add-command.ts'

export const reload: AddCommand = (program, context) => {
  const command = program
    .command('reload')
    .description('load the last save again, which discards the day; asks for the name of the farm first')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(command, 'reload')
  runs(command, context, ['status', 'reloadWorld'], async ({ farm }, { yes }: { yes?: true }) => {
    const { farmName } = await farm.status()
    await confirm(context, 'This discards what happened since the last save.', farmName || 'yes', yes)
    showMessage(command, context, await farm.reloadWorld())
  })
}
