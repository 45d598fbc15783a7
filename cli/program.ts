/** Reads the arguments and runs one command. */
import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { commandList } from './command-list.ts'
import { commonOptions } from './commands/add-command.ts'
import { type ExitCode, exitCodes } from './outcome/exit-codes.ts'
import { failureOf } from './outcome/failure.ts'
import type { Context } from './terminal/context.ts'
import { fittingHelp, helpLayout } from './terminal/help.ts'
import { paint } from './terminal/text.ts'

const where = `
The farm is found by --url, FARMGATE_URL, or the profile that farmgate login has saved; its key by --key-file, \
FARMGATE_KEY, FARMGATE_KEY_FILE, or the profile. No option takes the key itself: other users of this machine can read \
the options of a process.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused, 4 not found, 5 not reachable, 78 wrong environment, \
130 interrupted.

Examples:
  $ farmgate demo
  $ farmgate login http://localhost:8080
  $ farmgate status
`

/** @param args without the names of Node and of the file */
export async function runProgram(args: readonly string[], context: Context): Promise<ExitCode> {
  const program = programFor(context)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage
    const failure = failureOf(error)
    if (commonOptions(program).json === true && failure.body !== undefined) context.notes.json(failure.body)
    else if (failure.exitCode !== exitCodes.interrupted) {
      for (const line of failure.message.split('\n')) context.notes.line([paint('red', 'farmgate: '), line])
      if (failure.remedy !== undefined) context.notes.line(failure.remedy)
    }
    return failure.exitCode
  }
}

function programFor(context: Context): Command {
  const columns = Math.min(context.out.columns(), 110)
  const program = new Command('farmgate')
    .description('Watch and steer a dedicated Stardew Valley server through its control API.')
    .version(manifest.version)
    .option('--url <address>', 'address of the farm')
    .option('--key-file <path>', 'file with its key')
    .option('--profile <name>', 'a farm that was saved under this name')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', where)
    .exitOverride()
    .showHelpAfterError('Try --help.')
    .configureHelp(helpLayout(columns))
    .configureOutput({
      writeOut: (text) => context.out.raw(fittingHelp(text, columns)),
      writeErr: (text) => context.notes.raw(fittingHelp(text, Math.min(context.notes.columns(), 110))),
    })
  for (const add of commandList) add(program, context)
  return program
}
