/** What a chat line may hold on its way into the game (contract section 4, `chat_send`). */

/** Longest author, message and line in the game's chat box, in UTF-16 units. */
export const longest = { author: 32, message: 2000, line: 450 } as const

/** Without control characters and outer blanks, and with every surrogate paired. */
export const cleaned = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed()

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Cuts a cleaned message into lines of at most 450 units at grapheme borders; joined they are the message.
 * A message of at most 2000 units makes at most five: graphemes so long that they would need more are cut
 * between their code points.
 */
export function linesOf(message: string): readonly string[] {
  if (message.length <= longest.line) return [message]
  const atGraphemes = packed(Array.from(graphemes.segment(message), ({ segment }) => segment))
  const most = Math.ceil(longest.message / longest.line)
  return atGraphemes.length <= most && atGraphemes.every((line) => line.length <= longest.line)
    ? atGraphemes
    : packed(Array.from(message))
}

function packed(pieces: readonly string[]): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of pieces) {
    if (line !== '' && line.length + piece.length > longest.line) {
      lines.push(line)
      line = ''
    }
    line += piece
  }
  return line === '' ? lines : [...lines, line]
}
