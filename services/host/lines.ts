/** Maximum of units of a line, before it is cleaned; the rest of a longer line is dropped. */
export const longestLine = 16 * 1024

/**
 * Splits the output of a game into lines, as it comes: half lines, half characters and bytes that are not UTF-8
 * included. At most one line is kept meanwhile.
 * @param heard called with each line, without its line break
 * @param longest units, after which the rest of a line is dropped
 */
export function lineSplitter(
  heard: (line: string) => void,
  longest = longestLine,
): {
  push(bytes: Uint8Array): void
  /** The stream has ended, perhaps within a line. */
  end(): void
} {
  let decoder = new TextDecoder()
  let begun = ''
  const add = (text: string) => {
    if (begun.length < longest) begun += text.slice(0, longest - begun.length)
  }
  const take = (text: string) => {
    let from = 0
    for (;;) {
      const at = text.indexOf('\n', from)
      add(text.slice(from, at < 0 ? undefined : at))
      if (at < 0) return
      heard(begun)
      begun = ''
      from = at + 1
    }
  }
  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end() {
      take(decoder.decode())
      decoder = new TextDecoder()
      if (begun !== '') heard(begun)
      begun = ''
    },
  }
}

/**
 * Keeps the last lines of a log that may be much longer than what was asked for.
 * @param most lines
 */
export function lastLines<Line extends { readonly text: string }>(most: number) {
  const kept: Line[] = []
  let next = 0
  return {
    add(line: Line) {
      // A copy: the part of a text would keep the whole text in memory.
      kept[next] = { ...line, text: Buffer.from(line.text).toString() }
      next = (next + 1) % most
    },
    /** Oldest first. */
    all: (): Line[] => [...kept.slice(next), ...kept.slice(0, next)],
  }
}
