import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleaned, linesOf, longest } from '../../../handlers/chat/chat-line.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const borders = (text: string) => new Set([...segmenter.segment(text)].map(({ index }) => index))
const upTo = (units: number) =>
  fc.string({ unit: 'grapheme', maxLength: units }).filter((text) => text.length > 0 && text.length <= units)

test('the limits are those of the contract', () => {
  expect(longest).toEqual({ author: 32, message: 2000, line: 450 })
})

test('control characters are removed, blanks trimmed and surrogates paired', () => {
  expect(cleaned(' \u0000a\u001bb\r\n\tc\u007f\u0085 ')).toBe('abc')
  expect(cleaned('\ud800x')).toBe('\ufffdx')
  expect(cleaned('  \u00a0\u2003 ')).toBe('')
  expect(cleaned('👩‍👩‍👧‍👦 stays')).toBe('👩‍👩‍👧‍👦 stays')
})

test('joined lines are the message: at most five, each of at most 450 units', () => {
  fc.assert(
    fc.property(upTo(2000), (message) => {
      const lines = linesOf(message)
      expect(lines.join('')).toBe(message)
      expect(lines.length).toBeLessThanOrEqual(5)
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
    expect(message.length).toBeGreaterThan(longest.line)
    const cuts = borders(message)
    let at = 0
    for (const line of linesOf(message).slice(0, -1)) {
      at += line.length
      expect(cuts).toContain(at)
    }
  }
})

test('a grapheme longer than a line is cut between code points, and nothing is lost', () => {
  for (const message of [`a${'\u0301'.repeat(1999)}`, `👩${'\u200d👩'.repeat(600)}`]) {
    const lines = linesOf(message)
    expect(lines.join('')).toBe(message)
    expect(lines.length).toBeLessThanOrEqual(5)
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(450)
      expect(line.isWellFormed()).toBe(true)
    }
  }
})

test('a message of 450 is one line, of 451 two, of 2000 five', () => {
  expect([450, 451, 2000].map((length) => linesOf('x'.repeat(length)).length)).toEqual([1, 2, 5])
})

test('graphemes that fit a line badly still make at most five lines', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom('\u0301', '\u200d👩'), (size, joiner) => {
      const grapheme = `a${joiner.repeat(size)}`
      const message = grapheme
        .repeat(Math.ceil(2000 / grapheme.length))
        .slice(0, 2000)
        .toWellFormed()
      const lines = linesOf(message)
      expect(lines.join('')).toBe(message)
      expect(lines.length).toBeLessThanOrEqual(5)
    }),
  )
})
