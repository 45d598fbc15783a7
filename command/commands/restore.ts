import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, farmOf, show, withExamples } from './add-command.ts'

const id = 'Yew-y1-fall-05-20261121T120000000Z'

interface Options {
  readonly dryRun?: true
  readonly yes?: true
}

export const restore: AddCommand = (program, context) => {
  const command = program
    .command('restore <id>')
    .description("put a backup in the place of the farm's save, after the farm's name was typed")
    .option('--dry-run', 'only tell what would be lost')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(command, `restore ${id} --dry-run`, `restore ${id}`).action(
    async (id: string, { dryRun, yes }: Options) => {
      const { farm } = farmOf(command, context)
      const found = (await farm.backups()).backups.find((one) => one.id === id)
      if (found === undefined)
        throw new Failure(exitCodes.notFound, `There is no backup ${id}.`, 'farmgate backups lists them.')
      const told = await farm.restoreBackup({ id, dryRun: true })
      if (dryRun === true) return show(command, context, told, () => [told.message])
      await confirm(context, `${told.message}.`, found.farmName, yes)
      const done = await farm.restoreBackup({ id })
      show(command, context, done, () => [
        `${done.message}.`,
        `The save from before: ${done.safetyBackup ?? ''}`,
      ])
    },
  )
}
