/** The promises of docs/dashboard.md about the program. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from '../../cli/outcome/exit-codes.ts'
import { everyCommand } from './every-command.ts'
import { runInTurn } from './farmgate.ts'

const page = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8')
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The cells of the rows of the table below a heading, without the table's header. */
const rowsBelow = (heading: string): readonly (readonly string[])[] =>
  (page.split(`${heading}\n`)[1]?.split(/^#/m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([first]) => first !== 'Command' && first !== 'Code')

const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** The commands of a row: `keys`, `keys create <name>`; and `webhooks` (`add`), which is `webhooks add`. */
function commandsOf(cell: string): readonly string[] {
  const [, outer = cell, below = ''] = /^(.*?) \((`.*`)\)$/.exec(cell) ?? []
  const named = codeIn(outer).map((code) => code.replaceAll(/ [<[-].*$/g, ''))
  return [...named, ...codeIn(below).map((sub) => `${named[0]} ${sub}`)]
}

/** Whether the help is of that command, or of one that takes the last word as its argument. */
function isHelpOf(help: string, name: string): boolean {
  if (help.startsWith(`Usage: farmgate ${name} `)) return true
  const [command, value = ''] = name.split(' ')
  const usage = new RegExp(`^Usage: farmgate ${command} .*[<[](?!options|command)\\w+[>\\]]`)
  return usage.test(help) && new RegExp(`\\b${value}\\b`).test(help)
}

const optionsIn = (text: string): readonly string[] => text.match(/--[a-z]+(-[a-z]+)*/g) ?? []
const helpOf = async (commands: readonly string[]) =>
  (await runInTurn(commands.map((name) => [...name.split(' '), '--help']))).map(({ stdout }) => stdout)

test('the table of commands has every command of the program, and every command below it', async () => {
  const documented = rowsBelow('## Commands').flatMap(([cell = '']) => commandsOf(cell))
  const commands = (await everyCommand()).map((words) => words.join(' '))
  expect(commands.filter((name) => !documented.includes(name))).toEqual([])
})

test('every command of the table is one of the program, with the options of its row', async () => {
  const rows = rowsBelow('## Commands').map((cells) => ({
    names: commandsOf(cells[0] ?? ''),
    options: optionsIn(cells.join(' ')),
  }))
  expect(rows.length).toBeGreaterThan(15)
  for (const { names, options } of rows) {
    const helps = await helpOf(names)
    for (const [at, help] of helps.entries())
      expect({ name: names[at], isThere: isHelpOf(help, names[at] ?? '') }).toEqual({
        name: names[at],
        isThere: true,
      })
    for (const option of options)
      expect([names, option, helps.join('').includes(`${option} `)]).toEqual([names, option, true])
  }
})

test('every option on the page is one of the program', async () => {
  const helps = await helpOf((await everyCommand()).map((words) => words.join(' ')))
  const known = new Set(helps.flatMap(optionsIn))
  expect(known.size).toBeGreaterThan(15)
  expect(optionsIn(page).filter((option) => !known.has(option))).toEqual([])
})

test('every example of farmgate on the page and in the README is a command of the program', async () => {
  const commands = (await everyCommand()).map(([name]) => name)
  const examples = [...`${page}\n${readme}`.matchAll(/(?:npx farmgate|npm run -s farmgate --) ([a-z]+)/g)]
  expect(examples.length).toBeGreaterThan(5)
  for (const [example, name] of examples) expect([example, commands.includes(name)]).toEqual([example, true])
})

test("the table of exit codes and the help have exactly the program's exit codes", async () => {
  const numbers = Object.values(exitCodes).sort((one, other) => one - other)
  expect(rowsBelow('### Exit codes').map(([code]) => Number(code))).toEqual(numbers)
  const [help] = await runInTurn([['--help']])
  const reported = /Exit codes: ([^.]+)\./.exec(help?.stdout.replaceAll('\n', ' ') ?? '')?.[1] ?? ''
  expect([...reported.matchAll(/\d+/g)].map(Number)).toEqual(numbers)
})

test('the documented ranges of --patience and --step are the accepted ones', async () => {
  const [patience, step] = await runInTurn([
    ['doctor', '--patience', '0'],
    ['history', 'samples', '--step', '0'],
  ])
  expect(patience).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1 to 9999') })
  expect(step).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number of seconds') })
})
