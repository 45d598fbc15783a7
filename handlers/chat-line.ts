/** Limits of client messages in the game, and how a message is split into lines (docs/bot.md, `chat_send`). */

/** Maximum of UTF-16 units in an author, in a message, and in a line of the game's chat box. */
export const maxUnits = { author: 32, message: 4000, line: 450 } as const

/** Maximum of lines that one message becomes. */
export const maxLines = 10

/** The author of messages without one. */
const anonymous = 'Anonymous'

const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/**
 * The text with each line break as one blank, without other control characters, trimmed, and with U+FFFD in place of
 * each lone surrogate.
 */
export const cleaned = (text: string): string =>
  text
    .replace(lineBreak, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed()

/** The author as the game shows it: cut at a grapheme when it is too long, `Anonymous` when it is blank. */
export function authorOf(text: string): string {
  const author = cleaned(text)
  if (author === '') return anonymous
  const [atGrapheme = ''] = packed(graphemesOf(author), maxUnits.author)
  const [atCodePoint = ''] = packed(Array.from(author), maxUnits.author)
  return (atGrapheme.length <= maxUnits.author ? atGrapheme : atCodePoint).trimEnd()
}

/**
 * Splits a cleaned message into lines of at most 450 units, at grapheme borders. The lines joined are the message. A
 * message of at most 4000 units makes at most ten lines: where grapheme borders would need more or longer lines, the
 * message is split between code points.
 */
export function linesOf(message: string): readonly string[] {
  const atGraphemes = packed(graphemesOf(message), maxUnits.line)
  return atGraphemes.length <= maxLines && atGraphemes.every((line) => line.length <= maxUnits.line)
    ? atGraphemes
    : packed(Array.from(message), maxUnits.line)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const graphemesOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Joins pieces into as few lines of at most `max` units as possible. A longer piece is its own line. */
function packed(pieces: readonly string[], max: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of pieces) {
    if (line !== '' && line.length + piece.length > max) {
      lines.push(line)
      line = ''
    }
    line += piece
  }
  return [...lines, line]
}
