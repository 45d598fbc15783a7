/** Options of commands and their help texts; none takes a value. */
const flags = {
  qr: 'sign in by scanning a QR code',
  again: 'sign in again even if the saved session works',
  json: 'write the outcome to standard output, a JSON object a line',
} as const

type Flag = keyof typeof flags

interface Command {
  /** Description for the help text. */
  readonly does: string
  readonly flags?: readonly Flag[]
}

/** Every command, in the order of the help text. */
export const commands = {
  setup: { does: 'sign in and download the game (first-time setup)', flags: ['qr', 'again', 'json'] },
  login: { does: 'sign in and save the session', flags: ['qr', 'again'] },
  logout: { does: 'remove the saved session' },
  download: { does: 'download or update the game files with the saved session', flags: ['json'] },
  verify: { does: 'check the installed game files, change nothing', flags: ['json'] },
  ticket: { does: 'write an encrypted app ticket to standard output, base64' },
  'export-token': { does: 'write the saved refresh token to standard output, for CI' },
  renew: { does: 'ask Steam for a new refresh token now, write the outcome to standard output as JSON' },
  serve: { does: 'run the HTTP service (default)' },
  healthcheck: { does: 'ask a running service whether it is healthy (for containers)' },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof commands

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

export function flagsOf(name: CommandName): readonly Flag[] {
  const { flags: own = [] }: Command = commands[name]
  return own
}

export const allFlags = Object.keys(flags)

/** @returns the help text of the service, or of one command. */
export function helpText(name: CommandName | undefined): string {
  if (name) {
    const own = flagsOf(name).map((flag) => `  --${flag.padEnd(8)}${flags[flag]}\n`)
    return `Usage: ticket ${name}\n\n${commands[name].does}\n\nOptions:\n${own.join('')}  --help    show this\n  --version show the version\n`
  }
  const lines = Object.entries(commands).map(([command, { does }]) => `  ${command.padEnd(14)}${does}`)
  return `Usage: ticket [command]\n\nCommands:\n${lines.join('\n')}\n\nOptions:\n  --help        show this, or the help of a command\n  --version     show the version\n\nSettings come from the environment; /help/configuration of the farm describes them.\n`
}
