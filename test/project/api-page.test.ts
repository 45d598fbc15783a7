/** The parts of the docs that are made from the API are those that `npm run generate` makes. */
import { expect, test } from 'vitest'
import { filled, parts } from '../../tools/docs-source.ts'
import { readText } from '../compose.ts'

test.each(Object.entries(parts))(
  '%s has the errors, scopes, calls and sentences of the sources',
  (page, own) => {
    const text = readText(page)
    expect(text).toBe(filled(text, own))
  },
)

test('a sentence that drifts is found', () => {
  const own = { calls: () => 'One' }
  const text = 'A\n\n<!-- calls -->\n\nOne\n\n<!-- end of calls -->\n'
  expect(filled(text, own)).toBe(text)
  expect(filled(text.replace('One', 'Two'), own)).toBe(text)
  expect(() => filled('A', own)).toThrow('calls')
})
