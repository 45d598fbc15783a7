/** docs/bot.md says what the code does. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { messageCatalogue } from '../../../handlers/chat/catalogue.ts'
import { topicOfEvent } from '../../../handlers/chat/messages.ts'
import { closings, errorMeanings, limits } from '../../../handlers/chat/reference.ts'

const page = readFileSync(new URL('../../../docs/bot.md', import.meta.url), 'utf8')

/** The rows of the tables under a heading, without their heads. */
function rowsUnder(heading: string): readonly string[] {
  const section = page.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? expect.fail(heading)
  return section.split('\n').filter((line, at, lines) => line.startsWith('|') && !isHead(line, lines[at + 1]))
}
const isHead = (line: string, next: string | undefined) => /^\|-/.test(line) || /^\|-/.test(next ?? '')
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`
const code = (text: string) => (text === '' ? '–' : `\`${text}\``)

test('each error with its cause and fix', () => {
  expect(rowsUnder('Errors')).toEqual(
    Object.entries(errorMeanings).map(([name, { cause, cure }]) => row(code(name), cause, cure)),
  )
})

test('each close code with its cause and fix', () => {
  expect(rowsUnder('Close codes')).toEqual(
    closings.map(({ code: number, reason, cause, cure }) => row(String(number), code(reason), cause, cure)),
  )
})

test('each limit', () => {
  expect(rowsUnder('Limits')).toEqual(Object.entries(limits).map(([what, limit]) => row(what, limit)))
})

test('each message of the client and of the server', () => {
  for (const [heading, from] of [
    ['Messages of the client', 'client'],
    ['Messages of the server', 'server'],
  ] as const)
    expect(rowsUnder(heading).map((line) => /`(\w+)`/.exec(line)?.[1])).toEqual(
      messageCatalogue.filter((message) => message.from === from).map(({ type }) => type),
    )
})

test('each event with its topic', () => {
  const named = rowsUnder('Events').flatMap((line) => {
    const [topic = '', events = ''] = line.split('|').slice(1)
    return Array.from(events.matchAll(/`([\w.]+)`/g), ([, event]) => [
      event,
      topic.trim().replaceAll('`', ''),
    ])
  })
  expect(Object.fromEntries(named)).toEqual(topicOfEvent)
})
