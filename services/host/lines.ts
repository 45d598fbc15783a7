/** Maximum of units of a line, before it is cleaned; the rest of a longer line is dropped. */
export const longestLine = 16 * 1024

/**
 * Splits the output of a game into lines, as it comes: half lines, half characters and bytes that are not UTF-8
 * included. At most one line of `longestLine` is kept meanwhile.
 * @param heard called with each line, without its line break
 */
export function lineSplitter(heard: (line: string) => void): {
  push(bytes: Uint8Array): void
  /** The stream has ended, perhaps within a line. */
  end(): void
} {
  let decoder = new TextDecoder()
  let begun = ''
  const add = (text: string) => {
    begun = begun.length >= longestLine ? begun : (begun + text).slice(0, longestLine)
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
