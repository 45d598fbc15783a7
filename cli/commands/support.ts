import { writeFile } from 'node:fs/promises'
import { bundle } from '../../client/download.ts'
import { fetchAsCommand } from '../connection/agent.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { size } from '../terminal/size.ts'
import { type AddCommand, runs, show, withCalls, withExamples } from './add-command.ts'

export const support: AddCommand = (program, context) => {
  const command = program
    .command('support')
    .description('write a zip for asking for help, without keys, secrets and addresses')
    .requiredOption('--output <file>', 'the file to write; it must not exist')
    .option('--names', 'keep the names of players, which are tokens otherwise')
  withCalls(withExamples(command, 'support --output farm.zip'), 'GET /support')
  runs(command, context, [], async ({ url, key }, { output, names }: { output: string; names?: true }) => {
    const signal = context.interrupted()
    const zip = await bundle({ url, key, fetch: fetchAsCommand, timeout: 0, signal }, { names })
    await writeFile(output, zip, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      throw new Failure(
        exitCodes.failed,
        `${output} cannot be written: ${error.code}.`,
        'Give a file that does not exist: --output <file>.',
      )
    })
    show(command, context, { file: output, bytes: zip.length }, () => [
      `${output} (${size(zip.length)})`,
      'Look through it before you send it: its README.txt names each file.',
    ])
  })
}
