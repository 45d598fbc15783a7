import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { authorOf, cleaned, linesOf, maxUnits } from '../../../handlers/chat-line.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const borders = (text: string) => new Set([...segmenter.segment(text)].map(({ index }) => index))
const upTo = (units: number) =>
  fc.string({ unit: 'grapheme', maxLength: units }).filter((text) => text.length > 0 && text.length <= units)

test('control characters are removed, blanks trimmed and surrogates paired', () => {
  expect(cleaned(' \u0000a\u001bb\tc\u007f\u0085 ')).toBe('abc')
  expect(cleaned('\ud800x')).toBe('\ufffdx')
  expect(cleaned('  \u00a0\u2003 ')).toBe('')
  expect(cleaned('👩‍👩‍👧‍👦 stays')).toBe('👩‍👩‍👧‍👦 stays')
})

test('line breaks become blanks', () => {
  expect(cleaned('a\nb\r\nc\rd\u2028e\u2029f\u0085g\n')).toBe('a b c d e f g')
})

test('an author over 32 units is cut at a grapheme', () => {
  const family = '👩‍👩‍👧‍👦'
  expect(authorOf('x'.repeat(33))).toBe('x'.repeat(32))
  expect(authorOf(family.repeat(4))).toBe(family.repeat(2))
  expect(authorOf('🥕'.repeat(17))).toBe('🥕'.repeat(16))
  expect(authorOf(`${'x'.repeat(31)} and more`)).toBe('x'.repeat(31))
  expect(authorOf(`a${'\u0301'.repeat(40)}`)).toBe(`a${'\u0301'.repeat(31)}`)
})

test('a blank author is Anonymous', () => {
  for (const author of ['', '  ', '\n', '\u0000', '\u00a0']) expect(authorOf(author)).toBe('Anonymous')
})

test('an author is cut or replaced to 1 to 32 units, whatever was sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (author) => {
      const shown = authorOf(author)
      expect(shown.length).toBeLessThanOrEqual(maxUnits.author)
      expect(shown.trim()).not.toBe('')
      expect(shown.isWellFormed()).toBe(true)
    }),
  )
})

test('joined lines are the message: at most ten, each of at most 450 units', () => {
  fc.assert(
    fc.property(upTo(4000), (message) => {
      const lines = linesOf(message)
      expect(lines.join('')).toBe(message)
      expect(lines.length).toBeLessThanOrEqual(10)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(450)
    }),
    { numRuns: 200 },
  )
})

test('lines are cut at grapheme borders', () => {
  const family = '👩‍👩‍👧‍👦'
  const messages = [
    family.repeat(150),
    'é'.normalize('NFD').repeat(900),
    `x${'🇩🇪'.repeat(400)}`,
    'षि'.repeat(800),
  ]
  for (const message of messages) {
    expect(message.length).toBeGreaterThan(maxUnits.line)
    const cuts = borders(message)
    let at = 0
    for (const line of linesOf(message).slice(0, -1)) {
      at += line.length
      expect(cuts).toContain(at)
    }
  }
})

test('a grapheme longer than a line is cut between code points, and nothing is lost', () => {
  for (const message of [`a${'\u0301'.repeat(3999)}`, `👩${'\u200d👩'.repeat(1332)}`]) {
    const lines = linesOf(message)
    expect(lines.join('')).toBe(message)
    expect(lines.length).toBeLessThanOrEqual(10)
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(450)
      expect(line.isWellFormed()).toBe(true)
    }
  }
})

test('a message of 450 is one line, of 451 two, of 4000 nine', () => {
  expect([450, 451, 4000].map((length) => linesOf('x'.repeat(length)).length)).toEqual([1, 2, 9])
})

test('graphemes that leave lines partly empty still make at most ten lines', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom('\u0301', '\u200d👩'), (size, joiner) => {
      const grapheme = `a${joiner.repeat(size)}`
      const message = grapheme
        .repeat(Math.ceil(4000 / grapheme.length))
        .slice(0, 4000)
        .toWellFormed()
      const lines = linesOf(message)
      expect(lines.join('')).toBe(message)
      expect(lines.length).toBeLessThanOrEqual(10)
    }),
  )
})
