/** The whole terminal as one picture, as `top` and `less` use it: the earlier lines return at its end. */
import type { Context } from './context.ts'
import { rendered, type Text } from './text.ts'

// xterm control sequences: the alternate screen buffer, the cursor's visibility and position, and erasing.
const enter = '\x1b[?1049h\x1b[?25l'
const leave = '\x1b[?25h\x1b[?1049l'
const home = '\x1b[H'
const eraseRow = '\x1b[K'
const eraseBelow = '\x1b[J'

/** @param redraw called when the terminal has another size */
export function screen({ out, input, hasPerson }: Context, redraw: () => void) {
  const quit = new AbortController()
  const type = (bytes: Buffer) => {
    const keys = bytes.toString()
    if (keys.includes('\x03')) process.kill(process.pid, 'SIGINT')
    else if (['q', 'Q', '\x04'].some((key) => keys.startsWith(key))) quit.abort()
  }
  if (hasPerson) {
    input.setRawMode?.(true)
    input.on('data', type)
  }
  let isOpen = true
  out.raw(enter)
  out.onResize(redraw)
  return {
    /** Aborted when `q` was typed. */
    quit: quit.signal,
    draw(lines: readonly Text[]) {
      if (!isOpen) return
      const rows = lines.map((line) => `${rendered(line, out.hasColours)}${eraseRow}`)
      // Without a line break at the end, which would scroll.
      out.raw(`${home}${rows.join('\r\n')}${eraseBelow}`)
    },
    close() {
      isOpen = false
      if (hasPerson) {
        input.off('data', type)
        input.pause()
        input.setRawMode?.(false)
      }
      out.raw(leave)
    },
  }
}
