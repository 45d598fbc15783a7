import { expect, test } from 'vitest'
import { makeLog } from '../../ticket/log.ts'
import { makeSecrets } from '../../ticket/secrets.ts'

const lines = (pretty: boolean, colours = false) => {
  const written: string[] = []
  const log = makeLog({
    level: 'debug',
    pretty,
    colours,
    secrets: makeSecrets(),
    write: (line) => void written.push(line),
  })
  return { log, written }
}

test('half of a character in a secret fails nothing', () => {
  const secrets = makeSecrets()
  secrets.hide('pass\ud800word')
  expect(secrets.blank('the pass\ud800word')).toBe('the [secret]')
})

test('the level of each line is a word such as info', () => {
  const { log, written } = lines(false)
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({}, 'c')
  log.error({}, 'd')
  expect(written.map((line) => JSON.parse(line).level)).toEqual(['debug', 'info', 'warn', 'error'])
})

test('pretty: each entry is one line', () => {
  const { log, written } = lines(true)
  log.info({ method: 'GET', path: '/health', status: 200 }, 'Answered.')
  expect(written.map((line) => line.trimEnd().split('\n').length)).toEqual([1])
})

test('pretty: only with colours are there escape sequences, and no message controls the terminal', () => {
  for (const colours of [false, true]) {
    const { log, written } = lines(true, colours)
    log.warn({ path: '\u001b[2J' }, 'Steam says \u001b[2J\r\nDone.')
    const [line = ''] = written
    expect(line).toContain('Steam says  [2J  Done.')
    expect(line).not.toContain('\u001b[2J')
    expect(line.includes('\u001b[')).toBe(colours)
    expect(line.trimEnd()).not.toContain('\n')
  }
})
