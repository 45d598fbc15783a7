/** A line at the foot of the terminal in which a person types, while other lines appear above it. */
import { shellJobControl } from '../../lib/terminal/job-control.ts'
import { typedLine } from '../../lib/terminal/typed-line.ts'
import type { Context } from './context.ts'
import { cut, width } from './table.ts'
import { plain, type Text } from './text.ts'

interface TypingKeys {
  entered(line: string): void
  /** Ctrl-D. */
  ended(): void
  /** Ctrl-C. */
  interrupt(): void
}

const prompt = '> '
const clearRow = '\r\x1b[K'

/** Reads the keyboard; the terminal itself shows nothing of what is typed until it is closed (raw mode). */
export function typing({ input, notes }: Pick<Context, 'input' | 'notes'>, keys: TypingKeys) {
  const decoder = new TextDecoder()
  const draw = () =>
    notes.raw(`${clearRow}${prompt}${end(line.typed(), notes.columns() - prompt.length - 1)}`)
  const line = typedLine({
    entered(text) {
      notes.raw(clearRow)
      keys.entered(text)
      draw()
    },
    added: draw,
    removed: draw,
    interrupt: keys.interrupt,
    suspend() {
      if (!shellJobControl.canSuspend()) return
      notes.raw(clearRow)
      input.setRawMode?.(false)
      shellJobControl.suspend()
      input.setRawMode?.(true)
    },
    end: keys.ended,
  })
  const type = (bytes: Buffer) => line.type(decoder.decode(bytes, { stream: true }))
  const stopListening = shellJobControl.onContinue(() => {
    // The shell may have changed the mode, and the same mode is not set twice.
    input.setRawMode?.(false)
    input.setRawMode?.(true)
    draw()
  })
  input.setRawMode?.(true)
  input.on('data', type)
  notes.onResize(draw)
  draw()
  return {
    /** Prints a line above what is being typed. */
    above(print: () => void) {
      notes.raw(clearRow)
      print()
      draw()
    },
    /** Returns the terminal to its earlier mode. */
    close() {
      stopListening()
      input.off('data', type)
      input.pause()
      input.setRawMode?.(false)
      notes.raw(clearRow)
    },
  }
}

/** @returns the end of a line that fits into so many columns: new text stays visible */
function end(line: Text, columns: number): string {
  const segments = [...new Intl.Segmenter().segment(plain(line))].map(({ segment }) => segment)
  let shown = ''
  for (const segment of segments.reverse()) {
    if (width(segment + shown) > columns) break
    shown = segment + shown
  }
  return shown || plain(cut(line, Math.max(1, columns)))
}
