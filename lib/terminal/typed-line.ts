/** Key bindings of the line editor. */
export interface TypedLineKeys {
  /** Enter. */
  entered(text: string): void
  /** Text was added at the end of the line. */
  added(text: string): void
  /** Text was removed from the end of the line. */
  removed(text: string): void
  /** Ctrl-C. */
  interrupt(): void
  /** Ctrl-Z. */
  suspend(): void
  /** Ctrl-D on an empty line. */
  end(): void
}

/** Maximum line length in UTF-16 units, as of a terminal that edits lines itself; more input is dropped. */
const maxLength = 4096

/** Where in an escape sequence of the keyboard, such as `ESC [ 1 ; 5 D` (ECMA-48 section 5.4), the next character is. */
type Sequence = 'none' | 'begun' | 'parameters' | 'last'

/**
 * A line with the editing keys of termios(3): Backspace, Ctrl-W and Ctrl-U remove a character, a word and all. Arrow
 * and function keys do nothing. Removed or entered text cannot be restored, because it may be a password; the line
 * editor of `node:readline` keeps it for Ctrl-Y, and in a terminal of type `dumb` it knows neither Backspace nor
 * Ctrl-Z.
 * @inquirer/prompts and @clack/prompts use that editor, so they are not used; nor do they accept a line before its
 * question, or typing below lines that are being written, as the chat does.
 */
export function typedLine(keys: TypedLineKeys) {
  let line = ''
  let sequence: Sequence = 'none'
  let last = ''

  const keep = (kept: string) => {
    const removed = line.slice(kept.length)
    line = kept
    if (removed !== '') keys.removed(removed)
  }
  const erase = () => keep([...line].slice(0, -1).join(''))
  const enter = () => {
    const text = line
    line = ''
    keys.entered(text)
  }
  const controls: Readonly<Record<string, () => void>> = {
    '\r': enter,
    // Windows consoles and pasted text end a line with both.
    '\n': () => last === '\r' || enter(),
    '\x03': keys.interrupt,
    '\x04': () => line === '' && keys.end(),
    '\b': erase,
    '\x7f': erase,
    '\x15': () => keep(''),
    '\x17': () => keep(line.replace(/\S*\s*$/, '')),
    '\x1a': keys.suspend,
  }

  const take = (character: string) => {
    if (/\p{Cc}/u.test(character)) {
      sequence = character === '\x1b' ? 'begun' : 'none'
      controls[character]?.()
    } else if (sequence !== 'none') sequence = after(sequence, character)
    else if (line.length < maxLength) {
      line += character
      keys.added(character)
    }
    last = character
  }
  return {
    typed: (): string => line,
    /** Handles input of the keyboard. */
    type(text: string) {
      for (const character of text) take(character)
    },
    clear() {
      line = ''
    },
  }
}

function after(sequence: Sequence, character: string): Sequence {
  if (sequence === 'begun' && character === '[') return 'parameters'
  if (sequence === 'begun' && character === 'O') return 'last'
  return sequence === 'parameters' && !/[@-~]/.test(character) ? 'parameters' : 'none'
}
