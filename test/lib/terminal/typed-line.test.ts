import { expect, test } from 'vitest'
import { typedLine } from '../../../lib/terminal/typed-line.ts'

/** Types keys. @returns the lines and special keys in order, then the rest of the line */
function typed(...keys: readonly string[]) {
  const heard: string[] = []
  const line = typedLine({
    entered: (text) => void heard.push(`line ${text}`),
    added: () => undefined,
    removed: () => undefined,
    interrupt: () => void heard.push('interrupt'),
    suspend: () => void heard.push('suspend'),
    end: () => void heard.push('end'),
  })
  for (const part of keys) line.type(part)
  return [...heard, line.text()]
}

test.each([
  ['Enter ends a line, as CR, LF or both', 'a\rb\nc\r\nd', ['line a', 'line b', 'line c', 'd']],
  ['an empty line is an answer too', '\r\r', ['line ', 'line ', '']],
  ['Backspace removes a character, in both codes of terminals', 'abc\x7f\b', ['a']],
  ['Backspace removes a character outside of the first plane whole', 'a😀\x7f', ['a']],
  ['Backspace on an empty line does nothing', '\x7fa', ['a']],
  ['Ctrl-W removes a word and the blanks behind it', 'one two  \x17', ['one ']],
  ['Ctrl-U removes the line', 'one two\x15three', ['three']],
  ['Ctrl-Y does not bring back what Ctrl-U or Ctrl-W removed', 'one\x15\x19\x17\x19', ['']],
  ['the arrow up does not bring back an earlier line', 'one\r\x1b[A', ['line one', '']],
  ['arrow and function keys do nothing', 'a\x1b[D\x1bOP\x1b[1;5C\x1b[15~b', ['ab']],
  ['a key with Alt does nothing', 'a\x1bxb', ['ab']],
  ['Escape before Enter does not swallow it', 'a\x1b\r', ['line a', '']],
  ['other control characters, tabs too, do nothing', 'a\x00\t\x01\x0b\x9bb', ['ab']],
  ['Ctrl-C interrupts', 'ab\x03', ['interrupt', 'ab']],
  ['Ctrl-Z suspends and keeps the line', 'ab\x1ac', ['suspend', 'abc']],
  ['Ctrl-D ends the input only on an empty line', 'a\x04\x7f\x04', ['end', '']],
  ['a line is at most 4096 long', `${'x'.repeat(5000)}\r`, [`line ${'x'.repeat(4096)}`, '']],
])('%s', (_, keys, expected) => {
  expect(typed(keys)).toEqual(expected)
  // However the terminal splits it.
  expect(typed(...keys)).toEqual(expected)
})
