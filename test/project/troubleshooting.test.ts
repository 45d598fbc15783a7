/**
 * docs/troubleshooting.md explains every warning and error of the control API and the edge, and no message that the code
 * of these and of the ticket service no longer has.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { en } from '../../dashboard/texts/en.ts'
import { zh } from '../../dashboard/texts/zh.ts'
import { chineseOf } from '../../dashboard/views/doctor/join-chinese.ts'
import { causeCodes, causeSentence } from '../../handlers/cause.ts'
import { joinProblems } from '../../handlers/join.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')

/** A value that is inserted into a message is `…` on the page. */
const shown = (message: string) => message.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')

/** From a call's opening bracket to its closing one; brackets in literals are paired or skipped. */
function argumentsFrom(text: string, start: number): string {
  let depth = 1
  let quote = ''
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === '\\') at += 1
      else if (character === quote) quote = ''
    } else if (`'"\``.includes(character)) quote = character
    else if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    if (depth === 0) return text.slice(start, at)
  }
  throw new Error('an unclosed call')
}

const sources = globSync('{own-edge,runtime,services,bridges,lib}/**/*.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))

/** The thread of the records has no log: its notes become warnings. */
const calls = /(?:log(?:\([^()]*\))?\.(warn|error)|(?<!function )\bnoted)\((?!backup, found)/gi
/** The messages of warnings and errors; each must be a literal, so that it can be found. */
const logged = sources.flatMap(({ file, text }) =>
  [...text.matchAll(calls)].flatMap(({ index, 0: call }) => {
    const given = argumentsFrom(text, index + call.length)
    // The calls that pass `noted` on.
    if (/^fields(: object)?, message(: string)?$/.test(given)) return []
    const [, , message] = /(['"`])((?:\\.|(?!\1).)*)\1,?\s*$/s.exec(given) ?? []
    if (message === undefined) throw new Error(`${file} logs what is no literal: ${call}${given})`)
    return [shown(message)]
  }),
)

/** The words of every cause. */
const causes = sources.flatMap(({ text }) =>
  [...text.matchAll(/\bwords:\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)].map(([, , words = '']) => shown(words)),
)

const section = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
const rows = (title: string) =>
  section(title)
    .split('\n')
    .filter((line) => /^[|-] /.test(line) && !line.startsWith('| The log'))
/** The start of a line in the list of causes. */
const causesOf = (line: string) => /^- (?:`[^`]+`(?:, )?)+(?=: \S)/.exec(line)?.[0]
const literals = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

const explained = rows('Messages of the log').flatMap((row) => literals(row.split(' | ')[0]))

const ticketSources = globSync('{ticket,lib}/**/*.ts', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
)
/** Whether the constant parts of a message are in one file of the ticket service. */
const isInTicketService = (message: string) =>
  ticketSources.some((text) => message.split('…').every((part) => text.includes(part.trim())))

describe('docs/troubleshooting.md', () => {
  test('has a row for every warning and error of the log', () => {
    expect(logged.length).toBeGreaterThan(15)
    expect(logged.filter((message) => !explained.includes(message))).toEqual([])
  })

  test('has no row for a message that the code no longer has', () => {
    const others = explained.filter((message) => !logged.includes(message))
    expect(others.filter((message) => !isInTicketService(message))).toEqual([])
    for (const row of rows('Causes'))
      for (const words of literals(causesOf(row))) expect(causes).toContain(words)
  })

  test('has a row for every cause', () => {
    expect(causes.length).toBeGreaterThan(15)
    const known = rows('Causes').flatMap((row) => literals(causesOf(row)))
    for (const words of causes) expect(known).toContain(words)
  })

  test.each([
    'port … is in use by another process',
    'cannot start: …',
    'API_KEY: is not set',
    'has no option …',
  ])('explains the error that stops the start of the process: %s', (message) =>
    expect(section('When the process does not start')).toContain(message),
  )

  test.each([
    ['docs/troubleshooting.md', en, (sentence: string) => sentence],
    ['docs/zh/troubleshooting.md', zh, (sentence: string) => chineseOf(sentence) ?? ''],
  ] as const)(
    '%s has the sentences of the dashboard: its troubles, causes, and why friends cannot join',
    (file, own, of) => {
      const text = readFileSync(join(root, file), 'utf8')
      const { empty: _form, ...troubles } = own.troubles
      for (const [what, next] of Object.values(troubles)) expect(text).toContain(`**${what}** ${next}`)
      const constant = Object.values(joinProblems).filter((pair) => !pair.join().includes('…'))
      const pairs = [...causeCodes.map((code) => Object.values(causeSentence(code))), ...constant]
      expect(pairs.length).toBeGreaterThan(20)
      for (const [what = '', next = ''] of pairs) expect(text).toContain(`**${of(what)}** ${of(next)}`)
    },
  )

  test('explains the meaning in each row', () => {
    for (const row of [...rows('Messages of the log'), ...rows('Causes')])
      expect(
        row.split(' | ').every((cell) => cell.trim() !== ''),
        row,
      ).toBe(true)
  })
})
