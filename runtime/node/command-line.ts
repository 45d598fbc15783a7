/** The arguments of `npm start` and `npm run serve`, which take the same options. */
import { exitCodes } from '../../lib/exit-codes.ts'
import { version } from '../../lib/version.ts'

const commands = {
  serve: { npm: 'npm run serve', does: 'run the control API, configured by the environment' },
  start: { npm: 'npm start', does: 'try the control API on a simulated farm, with a key made for this run' },
} as const

const options = {
  '--check-config': 'check the environment and end',
  '--help': 'show this',
  '--version': 'show the version',
} as const

const isOption = (argument: string): argument is keyof typeof options => Object.hasOwn(options, argument)

function usage(command: keyof typeof commands): string {
  const { npm, does } = commands[command]
  const rows = Object.entries(options).map(([option, what]) => `  ${option.padEnd(16)}${what}\n`)
  return `Usage: ${npm} [-- <option>]

farmgate ${version}: ${does}

Options:
${rows.join('')}
The variables are described in docs/configuration.md.
`
}

/**
 * Handles `--help`, `--version` and wrong arguments itself; a wrong argument sets the exit code 2.
 * @returns what the caller must do; undefined for nothing
 */
export function readCommandLine(
  command: keyof typeof commands,
  args: readonly string[],
): 'run' | 'check-config' | undefined {
  const stray = args.find((argument) => !isOption(argument))
  if (stray !== undefined) {
    // Only the option's name is shown: its value may be a secret.
    const mistake = stray.startsWith('-') ? `has no option ${stray.split('=', 1)[0]}` : 'takes options only'
    process.stderr.write(`${command} ${mistake}\n\n${usage(command)}`)
    process.exitCode = exitCodes.wrongUsage
    return undefined
  }
  if (args.includes('--help')) process.stdout.write(usage(command))
  else if (args.includes('--version')) process.stdout.write(`${version}\n`)
  else return args.includes('--check-config') ? 'check-config' : 'run'
  return undefined
}
