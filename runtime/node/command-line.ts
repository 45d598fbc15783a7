/** The arguments of `npm start` and `npm run serve`, which take the same options. */
import { exitCodes } from '../../lib/exit-codes.ts'
import { version } from '../../lib/version.ts'

const commands = {
  serve: { npm: 'npm run serve', does: 'run the control API, configured by the environment' },
  start: { npm: 'npm start', does: 'try the control API on a simulated farm, with a key made for this run' },
} as const

const farmsOption = '--farms'

const options = {
  '--check-config': 'check the environment and end',
  '--help': 'show this',
  '--version': 'show the version',
} as const

const isOption = (argument: string): argument is keyof typeof options => Object.hasOwn(options, argument)

function usage(command: keyof typeof commands): string {
  const { npm, does } = commands[command]
  const all = {
    ...(command === 'serve' && {
      [`${farmsOption} <folder>`]: 'run the farm of each file <name>.env in the folder',
    }),
    ...options,
  }
  const rows = Object.entries(all).map(([option, what]) => `  ${option.padEnd(18)}${what}\n`)
  return `Usage: ${npm} [-- <option>]

farmgate ${version}: ${does}

Options:
${rows.join('')}
The variables are described at /help/configuration of each farm.
`
}

export interface Asked {
  readonly what: 'run' | 'check-config'
  /** The folder of `--farms`. */
  readonly farms?: string
}

/**
 * Handles `--help`, `--version` and wrong arguments itself; a wrong argument sets the exit code 2.
 * @returns what the caller must do; undefined for nothing
 */
export function readCommandLine(command: keyof typeof commands, args: readonly string[]): Asked | undefined {
  const { rest, farms } = command === 'serve' ? withoutFarms(args) : { rest: args, farms: undefined }
  const stray = rest.find((argument) => !isOption(argument))
  if (stray !== undefined) {
    // Only the option's name is shown: its value may be a secret.
    return refuse(
      command,
      stray.startsWith('-') ? `has no option ${stray.split('=', 1)[0]}` : 'takes options only',
    )
  }
  if (farms === '') return refuse(command, `needs a folder after ${farmsOption}`)
  if (rest.includes('--help')) process.stdout.write(usage(command))
  else if (rest.includes('--version')) process.stdout.write(`${version}\n`)
  else
    return {
      what: rest.includes('--check-config') ? 'check-config' : 'run',
      ...(farms !== undefined && { farms }),
    }
  return undefined
}

function refuse(command: keyof typeof commands, mistake: string): undefined {
  process.stderr.write(`${command} ${mistake}\n\n${usage(command)}`)
  process.exitCode = exitCodes.wrongUsage
}

/** @returns the folder of `--farms <folder>` or `--farms=<folder>`, and the other arguments */
function withoutFarms(args: readonly string[]): {
  readonly rest: readonly string[]
  readonly farms?: string
} {
  const at = args.findIndex((argument) => argument.split('=', 1)[0] === farmsOption)
  const [option] = args.slice(at)
  if (at === -1 || option === undefined) return { rest: args }
  if (option !== farmsOption)
    return { rest: args.toSpliced(at, 1), farms: option.slice(farmsOption.length + 1) }
  return { rest: args.toSpliced(at, 2), farms: args[at + 1] ?? '' }
}
