/** Help that fits the terminal, in which each example can still be copied unchanged. */
import type { HelpConfiguration } from 'commander'
import { width } from './table.ts'

import { plain } from './text.ts'
import { wrapped } from './wrap.ts'

/** Columns that a description needs next to its term; with fewer it is shown below. */
const enough = 30
const example = '  $ '

/** The layout of commander's help. @param columns of the terminal */
export const helpLayout = (columns: number): HelpConfiguration => ({
  showGlobalOptions: true,
  helpWidth: columns,
  minWidthToWrap: enough,
  formatItem(term, termWidth, description, helper) {
    const before = `  ${term}`
    const start = termWidth + 4
    if (description === '') return before
    if (columns - start < enough) return `${before}\n      ${description}`
    const lines = helper.boxWrap(description, columns - start).split('\n')
    return `${before.padEnd(start)}${lines.join(`\n${' '.repeat(start)}`)}`
  },
})

/** @returns the text with lines of at most `columns` */
export const fittingHelp = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) => (width(line) <= columns ? [line] : narrowed(line, columns)))
    .join('\n')

function narrowed(line: string, columns: number): readonly string[] {
  if (line.startsWith(example)) return exampleLines(line, columns)
  const indent = /^(Usage: | *)/.exec(line)?.[0].length ?? 0
  return wrapped(line, columns, indent).map(plain)
}

/** A shell joins lines that end with a backslash. A remark becomes a separate line above. */
function exampleLines(line: string, columns: number): readonly string[] {
  const [command = '', remark] = line.slice(example.length).split(/ +(?=# )/)
  // Blanks within quotes stay: the line must not be broken there.
  const words = command.match(/(?:'[^']*'|\S)+/g) ?? []
  const lines = ['']
  for (const word of words) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (width(`${example}${last} ${word} \\`) > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  const joined = lines.map(
    (one, at) => `${at === 0 ? example : '    '}${one}${at === lines.length - 1 ? '' : ' \\'}`,
  )
  const above = remark === undefined ? [] : wrapped(remark.slice(2), columns - 4, 0)
  return [...above.map((one) => `  # ${plain(one)}`), ...joined]
}
