import { open, rename, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { size } from '../terminal/size.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { exampleId, foundBackup } from './found-backup.ts'
import { gameDay } from './game-time.ts'

export const backups: AddCommand = (program, context) => {
  const command = program
    .command('backups')
    .description("backups of the farm's save: list, make, download, delete")
  withExamples(command, 'backups', 'backups make', `backups download ${exampleId}`)
  runs(command, context, ['backups'], async ({ farm }) => {
    const record = await farm.backups()
    showRows(command, context, record, () => {
      if (record.state.saves === 'absent')
        context.notes.line('No saves are mounted (SAVES_DIR), so no backup is made.')
      // There is no column for the time, because the id contains it.
      const rows = record.backups.map((one) => [
        one.id,
        gameDay(one),
        one.reason,
        size(one.bytes),
        one.verifiedAt === undefined ? 'no' : 'yes',
        one.offsite,
      ])
      const header = ['Id', 'Day', 'Reason', 'Size', 'Verified', 'Off-site']
      return { header, rows, ifNone: 'No backups yet.' }
    })
  })

  const make = command.command('make').description('make a backup now')
  withExamples(make, 'backups make')
  runs(make, context, ['makeBackup'], async ({ farm }) => {
    const made = await farm.makeBackup()
    if (made.created === false)
      context.notes.line('The save has not changed since this backup, so no new one was made.')
    show(make, context, made, () => [`${made.id} (${size(made.bytes)})`])
  })

  const download = command
    .command('download <id>')
    .description('fetch the archive; continues an interrupted download')
    .option('--to <file>', 'the file to write (default: <id>.zip)')
  withExamples(download, `backups download ${exampleId}`, `backups download ${exampleId} --to yew.zip`)
  runs(
    download,
    context,
    ['backups', 'downloadBackup'],
    async ({ farm }, id: string, { to = `${id}.zip` }: { to?: string }) => {
      const found = await foundBackup(farm, id)
      const part = `${to}.part`
      const had = await stat(part).catch(() => undefined)
      // An existing file of this length or longer may be another archive.
      const from = had !== undefined && had.size < found.bytes ? had.size : 0
      const { body, bytes } = await farm.downloadBackup({ id, from }, { signal: context.interrupted() })
      const file = await open(part, from > 0 ? 'a' : 'w').catch(notWritten(part))
      await pipeline(body, file.createWriteStream()).catch(async (error: unknown) => {
        context.interrupted().throwIfAborted()
        if (isOfFile(error)) notWritten(part)(error)
        throw new Failure(
          exitCodes.notReachable,
          `The download stopped after ${size((await stat(part)).size)} of ${size(bytes)}.`,
          'Type the same command again to resume.',
        )
      })
      if ((await stat(part)).size !== bytes)
        throw new Failure(
          exitCodes.failed,
          `${part} has another size than the archive.`,
          'Remove it and try again.',
        )
      await rename(part, to).catch(notWritten(to))
      show(download, context, { file: to, bytes }, () => [`${to} (${size(bytes)})`])
    },
  )

  const remove = command
    .command('delete <id>')
    .description('delete a backup; asks for its id first')
    .option('-y, --yes', 'do not ask for the id')
  withExamples(remove, `backups delete ${exampleId}`)
  runs(
    remove,
    context,
    ['backups', 'deleteBackup'],
    async ({ farm }, id: string, { yes }: { yes?: true }) => {
      const found = await foundBackup(farm, id)
      await confirm(context, `This removes the backup of ${gameDay(found)}, made ${found.madeAt}.`, id, yes)
      showMessage(remove, context, await farm.deleteBackup({ id }))
    },
  )
}

/** Whether an error is one of the file system; errors of a connection, which `fetch` throws, have no `syscall`. */
const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

const notWritten = (path: string) => (error: unknown) => {
  if (!isOfFile(error)) throw error
  throw new Failure(
    exitCodes.failed,
    `${path} cannot be written: ${error.code}.`,
    'Check its folder and the rights of it, or give another file: --to <file>.',
  )
}
