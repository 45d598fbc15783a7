/** What a chat line may hold on its way into the game (docs/websocket.md, `chat_send`). */

/** Longest author, message and line in the game's chat box, in UTF-16 units. */
export const longest = { author: 32, message: 4000, line: 450 } as const

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
  if (author.length <= longest.author) return author === '' ? anonymous : author
  const [atGrapheme = ''] = packed(graphemesOf(author), longest.author)
  const [atCodePoint = ''] = packed(Array.from(author), longest.author)
  return (atGrapheme.length <= longest.author ? atGrapheme : atCodePoint).trimEnd()
}

/**
 * Cuts a cleaned message into lines of at most 450 units at grapheme borders; joined they are the message.
 * A message of at most 4000 units makes at most ten: graphemes so long that they would need more are cut
 * between their code points.
 */
export function linesOf(message: string): readonly string[] {
  if (message.length <= longest.line) return [message]
  const atGraphemes = packed(graphemesOf(message), longest.line)
  return atGraphemes.length <= maxLines && atGraphemes.every((line) => line.length <= longest.line)
    ? atGraphemes
    : packed(Array.from(message), longest.line)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const graphemesOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Pieces joined into lines, each as long as it can be; a piece that is longer is a line of its own. */
function packed(pieces: readonly string[], most: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of pieces) {
    if (line !== '' && line.length + piece.length > most) {
      lines.push(line)
      line = ''
    }
    line += piece
  }
  return line === '' ? lines : [...lines, line]
}
