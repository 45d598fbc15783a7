/** The promises of docs/cli.md about the program. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from '../../cli/outcome/exit-codes.ts'
import { everyCommand } from './every-command.ts'
import { runInTurn } from './farmgate.ts'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The cells of the rows of the table below a heading, without the table's header. */
const rowsBelow = (heading: string): readonly (readonly string[])[] =>
  (page.split(`${heading}\n`)[1]?.split(/^#/m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([first]) => first !== 'Code')

const optionsIn = (text: string): readonly string[] => text.match(/--[a-z]+(-[a-z]+)*/g) ?? []
const helpOf = async (commands: readonly string[]) =>
  (await runInTurn(commands.map((name) => [...name.split(' '), '--help']))).map(({ stdout }) => stdout)

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
  expect(rowsBelow('## Exit codes').map(([code]) => Number(code))).toEqual(numbers)
  const [help] = await runInTurn([['--help']])
  const reported = /Exit codes: ([^.]+)\./.exec(help?.stdout.replaceAll('\n', ' ') ?? '')?.[1] ?? ''
  expect([...reported.matchAll(/\d+/g)].map(Number)).toEqual(numbers)
})

test('the documented ranges of --patience and --step are the accepted ones', async () => {
  const [patience, step] = await runInTurn([
    ['doctor', '--patience', '0'],
    ['history', 'samples', '--step', '0', '--url', 'http://127.0.0.1:1'],
  ])
  expect(patience).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1 to 9999') })
  expect(step).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number of seconds') })
})
