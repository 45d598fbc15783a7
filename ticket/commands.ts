/** Every command and what it does, in the order of the help text (contract/ticket-service.md section 4). */
export const commands = {
  setup: 'sign in and download the game (first-time setup)',
  login: 'sign in and save the session',
  download: 'download or update the game files with the saved session',
  verify: 'check the installed game files, change nothing',
  ticket: 'write an encrypted app ticket to standard output, base64',
  'export-token': 'write the saved refresh token to standard output, for CI',
  serve: 'run the HTTP service (default)',
  healthcheck: 'ask a running service whether it is healthy (for containers)',
} as const

export type CommandName = keyof typeof commands

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

const options: Partial<Record<CommandName, string>> = {
  login:
    '  --qr      sign in by scanning a QR code\n  --again   sign in anew even if the saved session works\n',
  setup:
    '  --qr      sign in by scanning a QR code\n  --json    write the plan and the outcome to standard output\n',
  download: '  --json    write the plan and the outcome to standard output, a JSON object a line\n',
  verify: '  --json    write what was found to standard output, a JSON object a line\n',
}

/** @returns the help text of the service, or of one command. */
export function helpText(name: CommandName | null): string {
  if (name)
    return `Usage: ticket ${name}\n\n${commands[name]}\n\nOptions:\n${options[name] ?? ''}  --help    show this\n  --version show the version\n`
  const lines = Object.entries(commands).map(([command, summary]) => `  ${command.padEnd(14)}${summary}`)
  return `Usage: ticket [command]\n\nCommands:\n${lines.join('\n')}\n\nOptions:\n  --help        show this, or the help of a command\n  --version     show the version\n\nSettings come from the environment; see docs/ticket-service.md.\n`
}
