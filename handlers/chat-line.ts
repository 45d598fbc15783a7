/** What a chat line may hold on its way into the game (docs/websocket.md, `chat_send`). */

/** Most UTF-16 units of an author, of a message, and of a line in the game's chat box. */
export const maxUnits = { author: 32, message: 4000, line: 450 } as const

/** Most lines that one message makes. */
export const maxLines = 10

/** A client without a name of its own. */
const anonymous = 'Anonymous'

const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/** Line breaks as blanks, without other control characters and outer blanks, and with every surrogate paired. */
export const cleaned = (text: string): string =>
  text
    .replace(lineBreak, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed()

/** The author as it is shown: cut at a grapheme when it is too long, `Anonymous` when it is blank. */
export function authorOf(text: string): string {
  const author = cleaned(text)
  if (author.length <= maxUnits.author) return author === '' ? anonymous : author
  const [atGrapheme = ''] = packed(graphemesOf(author), maxUnits.author)
  const [atCodePoint = ''] = packed(Array.from(author), maxUnits.author)
  return (atGrapheme.length <= maxUnits.author ? atGrapheme : atCodePoint).trimEnd()
}

/**
 * Cuts a cleaned message into lines of at most 450 units at grapheme borders; joined they are the message.
 * A message of at most 4000 units makes at most ten: graphemes so long that they would need more are cut
 * between their code points.
 */
export function linesOf(message: string): readonly string[] {
  if (message.length <= maxUnits.line) return [message]
  const atGraphemes = packed(graphemesOf(message), maxUnits.line)
  return atGraphemes.length <= maxLines && atGraphemes.every((line) => line.length <= maxUnits.line)
    ? atGraphemes
    : packed(Array.from(message), maxUnits.line)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const graphemesOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Pieces joined into lines, each as long as it can be; a piece that is longer is a line of its own. */
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
  return line === '' ? lines : [...lines, line]
}
