import { expect, test } from 'vitest'
import { makeLog } from '../../ticket/log.ts'
import { makeSecrets } from '../../ticket/secrets.ts'

const lines = (pretty: boolean) => {
  const written: string[] = []
  const log = makeLog({
    level: 'debug',
    pretty,
    secrets: makeSecrets(),
    write: (line) => void written.push(line),
  })
  return { log, written }
}

test('the level of each line is a word such as info', () => {
  const { log, written } = lines(false)
  log.debug('a')
  log.info('b')
  log.warn('c')
  log.error('d')
  expect(written.map((line) => JSON.parse(line).level)).toEqual(['debug', 'info', 'warn', 'error'])
})

test('pretty: each entry is one line', () => {
  const { log, written } = lines(true)
  log.info('Answered.', { method: 'GET', path: '/health', status: 200 })
  expect(written.map((line) => line.trimEnd().split('\n').length)).toEqual([1])
})
