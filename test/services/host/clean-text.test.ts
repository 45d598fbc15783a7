import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textCleaner } from '../../../services/host/clean-text.ts'
import { lineSplitter, longestLine } from '../../../services/host/lines.ts'

const clean = textCleaner([])
const canary = 'canary/+ä-secret'

test.each([
  ['\u001b[1;31mred\u001b[0m', 'red'],
  ['\u009b31mred\u009b0m', 'red'],
  ['\u001b]0;a title\u0007text', 'text'],
  ['\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001bPq#0\u001b\\text', 'text'],
  ['\u001b(Btext\u001b7\u001b8', 'text'],
  ['a\tb\u0000c\u0007d\u0085e\u009fj', 'a bcdej'],
  ['\r50%\r100%', '50%100%'],
  ['abc\u202edef\u2028', 'abcdef'],
  ['half \ud800', 'half '],
  ['农场 🐔 été', '农场 🐔 été'],
])('%j becomes %j', (line, text) => {
  expect(clean(line)).toBe(text)
})

test('no text has control characters, for any output of the game', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (line) => {
      expect(clean(line)).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('a secret becomes …, plain, percent-encoded, between escapes, and so does a named key', () => {
  const hide = textCleaner([canary, 'abc'])
  for (const line of [
    `key=${canary} end`,
    `/?key=${encodeURIComponent(canary)}&x=1`,
    `\u001b[1mcanary/+\u001b[0mä-secret`,
    'Bearer fg_0123456789ab_Zm9vYmFyLWJhei1xdXV4',
  ]) {
    expect(hide(line)).toContain('…')
    expect(hide(line)).not.toMatch(/canary|Zm9v/)
  }
  // Too short to be replaced.
  expect(hide('abcdef')).toBe('abcdef')
})

test('no part of a secret is left where an endless line is cut', () => {
  const secret = 'canary-'.repeat(6)
  const hide = textCleaner([secret])
  for (let before = longestLine - 100; before <= longestLine; before += 1) {
    const lines: string[] = []
    const splitter = lineSplitter((line) => lines.push(line))
    // Escapes are removed, so the rest is near the start of the text.
    splitter.push(Buffer.from(`${'\u001b[0m'.repeat(before / 4)}${secret}${secret}\n`))
    expect(lines.map(hide).join()).not.toContain('canary')
  }
})

test('a line has at most 4096 characters', () => {
  expect(clean('x'.repeat(10_000))).toBe(`${'x'.repeat(4096)}…`)
})

test('lines are whole, however the bytes are split, and memory has one bounded line', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
        {
          maxLength: 20,
        },
      ),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (texts, sizes) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
        const heard: string[] = []
        const splitter = lineSplitter((line) => heard.push(line))
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1
          splitter.push(bytes.subarray(at, at + size))
          at += size
        }
        splitter.end()
        expect(heard.join('\n')).toBe(texts.map((text) => text.toWellFormed()).join('\n'))
      },
    ),
  )
  const endless: string[] = []
  const splitter = lineSplitter((line) => endless.push(line))
  for (let piece = 0; piece < 100; piece += 1) splitter.push(Buffer.alloc(64 * 1024, 'x'))
  splitter.push(Buffer.from('\nnext\n'))
  expect(endless.map(({ length }) => length)).toEqual([longestLine, 4])
})

test('lines full of escape sequences that never end are cleaned as fast as any other', () => {
  const clean = textCleaner([])
  // Each start of a sequence would read the rest of its line: this would not end within the test's time.
  for (let line = 0; line < 300; line += 1)
    for (const start of ['\x9d', '\x90', '\x1b]', '\x9b'])
      expect(clean(start.repeat(longestLine / start.length))).not.toContain(start)
})
