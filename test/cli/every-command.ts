import { runInTurn } from './farmgate.ts'

/** Every command and subcommand, as the help names them. */
export async function everyCommand(): Promise<string[][]> {
  const below = (help: string) =>
    [...(help.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z]+)/gm)].flatMap(
      ([, name = '']) => (name === 'help' ? [] : [name]),
    )
  const [whole] = await runInTurn([['--help']])
  const names = below(whole?.stdout ?? '')
  const helps = await runInTurn(names.map((name) => [name, '--help']))
  return names.flatMap((name, index) => [
    [name],
    ...below(helps[index]?.stdout ?? '').map((sub) => [name, sub]),
  ])
}
