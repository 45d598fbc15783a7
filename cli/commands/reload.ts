import { type AddCommand, confirmForFarm, runs, showMessage, withExamples } from './add-command.ts'

export const reload: AddCommand = (program, context) => {
  const command = program
    .command('reload')
    .description('load the last save again, which discards the day; asks for the name of the farm first')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(command, 'reload')
  runs(command, context, ['status', 'reloadWorld'], async (place, { yes }: { yes?: true }) => {
    await confirmForFarm(place, context, 'This discards what happened since the last save.', yes)
    showMessage(command, context, await place.farm.reloadWorld())
  })
}
