import type { Command } from 'commander'
import { wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, withExamples } from './add-command.ts'

export const completion: AddCommand = (program, context) => {
  const command = program
    .command('completion <shell>')
    .description('a script that completes commands and options in bash, zsh or fish')
  withExamples(
    command,
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish >> ~/.config/fish/config.fish',
  ).action((shell: string) => {
    const script = Object.hasOwn(shells, shell) ? shells[shell]?.(program) : undefined
    if (script === undefined) throw wrongUsage('Scripts are there for bash, zsh and fish.')
    for (const line of script) context.out.line(line)
  })
}

/** The words that can follow: of the program, and of each command by its name. */
const wordsAfter = (command: Command): string => {
  const options = command.options.flatMap(({ long }) => long ?? [])
  return [...command.commands.map((one) => one.name()), ...options, '--help'].join(' ')
}

const bash = (program: Command): string[] => [
  '_farmgate() {',
  '  local word common',
  `  common='${program.options.flatMap(({ long }) => long ?? []).join(' ')}'`,
  `  local words='${wordsAfter(program)}'`,
  `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
  '    case "$word" in',
  ...program.commands.map((one) => `      ${one.name()}) words='${wordsAfter(one)}'" $common"; break;;`),
  '    esac',
  '  done',
  `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
  '}',
  'complete -F _farmgate farmgate',
]

const fish = (program: Command): string[] => [
  ...program.commands.map(
    (one) =>
      `complete -c farmgate -n __fish_use_subcommand -f -a ${one.name()} -d '${quoted(one.description())}'`,
  ),
  ...program.commands.flatMap((one) =>
    one.commands.map(
      (sub) => `complete -c farmgate -n '__fish_seen_subcommand_from ${one.name()}' -f -a ${sub.name()}`,
    ),
  ),
  ...program.options.flatMap(({ long, description }) =>
    long ? [`complete -c farmgate -l ${long.slice(2)} -d '${quoted(description)}'`] : [],
  ),
]

const quoted = (text: string) => text.replaceAll("'", "\\'")

const shells: Readonly<Record<string, (program: Command) => string[]>> = {
  bash,
  // zsh reads the completions of bash.
  zsh: (program) => ['autoload -Uz compinit bashcompinit && compinit && bashcompinit', ...bash(program)],
  fish,
}
