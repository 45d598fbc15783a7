/** Text on as many lines as it needs to fit the terminal. */
import { width } from './table.ts'
import { paint, type Text } from './text.ts'

interface Word {
  readonly text: Text
  readonly columns: number
  /** How many blanks follow it; a line ends without them. */
  readonly blanks: number
}

/**
 * Breaks a text at blanks, and a word that is wider than a line anywhere.
 * @param hang how many blanks all lines but the first begin with
 */
export function wrapped(text: Text, columns: number, hang: number): readonly Text[] {
  const lines: Text[][] = [[]]
  let used = 0
  let blanks = 0
  for (const word of words(text, Math.max(1, columns - hang))) {
    if (used > hang && used + blanks + word.columns > columns) {
      lines.push([' '.repeat(hang)])
      used = hang
      blanks = 0
    }
    lines.at(-1)?.push(' '.repeat(blanks), word.text)
    used += blanks + word.columns
    blanks = word.blanks
  }
  return lines
}

/** @param room columns of the widest word */
function words(text: Text, room: number, styled: (part: string) => Text = (part) => part): readonly Word[] {
  if (typeof text === 'string')
    return (text.match(/ *[^ ]+ *| +/g) ?? []).flatMap((word) =>
      pieces(word, room).map((piece) => {
        const shown = piece.trimEnd()
        return { text: styled(shown), columns: width(shown), blanks: piece.length - shown.length }
      }),
    )
  if ('style' in text) return words(text.text, room, (part) => paint(text.style, styled(part)))
  return text.flatMap((part) => words(part, room, styled))
}

function pieces(word: string, room: number): readonly string[] {
  const found = ['']
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const last = found.at(-1) ?? ''
    if (width((last + segment).trimEnd()) > room) found.push(segment)
    else found[found.length - 1] = last + segment
  }
  return found
}
