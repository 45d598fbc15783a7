import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'
import { exampleId, foundBackup } from './found-backup.ts'

interface Options {
  readonly dryRun?: true
  readonly yes?: true
}

export const restore: AddCommand = (program, context) => {
  const command = program
    .command('restore <id>')
    .description("replace the farm's save with a backup; asks for the farm's name first")
    .option('--dry-run', 'change nothing, and show what would be lost')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(command, `restore ${exampleId} --dry-run`, `restore ${exampleId}`)
  runs(
    command,
    context,
    ['backups', 'restoreBackup'],
    async ({ farm }, id: string, { dryRun, yes }: Options) => {
      const { farmName } = await foundBackup(farm, id)
      const loss = await farm.restoreBackup({ id, dryRun: true })
      if (dryRun === true) return show(command, context, loss, () => [loss.message])
      await confirm(context, `${loss.message}.`, farmName, yes)
      const done = await farm.restoreBackup({ id })
      show(command, context, done, () => [
        `${done.message}.`,
        `The backup of the save that was replaced: ${done.safetyBackup ?? ''}`,
      ])
    },
  )
}
