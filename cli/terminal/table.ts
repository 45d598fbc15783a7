/** Rows in columns that fit the terminal. */
import stringWidth from 'string-width'
import { paint, plain, type Text } from './text.ts'

/** Narrowest width to which a column is cut. */
const minWidth = 4
/** The title of the column that is cut last, because people copy its values into other commands. */
const cutLast = 'Id'
const between = '  '

/**
 * @param columns the width of the terminal; wider cells are cut with `…`
 * @returns the lines, the header first
 */
export function table(
  header: readonly string[],
  rows: readonly (readonly Text[])[],
  columns: number,
): Text[] {
  const natural = header.map((title, at) =>
    Math.max(width(title), ...rows.map((row) => width(row[at] ?? ''))),
  )
  const widths = fitted(fitted(natural, columns, header.indexOf(cutLast)), columns)
  return [paint('bold', line(header, widths)), ...rows.map((row) => line(row, widths))].map((one) =>
    cut(one, columns),
  )
}

/** Names in front of their values; rows without a value are omitted. */
export function list(rows: readonly (readonly [string, Text | undefined])[], columns: number): Text[] {
  const shown = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const widest = Math.max(0, ...shown.map(([name]) => width(name)))
  return shown.map(([name, value]) =>
    cut(
      [
        paint('dim', padded(name, widest)),
        between,
        cut(value, Math.max(minWidth, columns - widest - between.length)),
      ],
      columns,
    ),
  )
}

/** The terminal columns that it takes. */
export const width = (text: Text): number => stringWidth(plain(text))

/** @returns the text, or its beginning with `…` when it is wider */
export function cut(text: Text, columns: number): Text {
  if (width(text) <= columns) return text
  if (typeof text !== 'string') {
    if ('style' in text) return paint(text.style, cut(text.text, columns))
    return cut(plain(text), columns)
  }
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(plain(text))) {
    if (width(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** Narrows the widest column by one until all fit. @param kept the place of a column that is never narrowed */
function fitted(widths: readonly number[], columns: number, kept = -1): readonly number[] {
  const result = [...widths]
  for (;;) {
    const total = result.reduce((sum, one) => sum + one, between.length * (result.length - 1))
    const others = result.map((one, at) => (at === kept ? 0 : one))
    const widest = others.indexOf(Math.max(...others))
    if (total <= columns || (others[widest] ?? 0) <= minWidth) return result
    result[widest] = (result[widest] ?? 0) - 1
  }
}

const line = (cells: readonly Text[], widths: readonly number[]): Text =>
  cells.flatMap((cell, at) => {
    const isLast = at === cells.length - 1
    const fitting = cut(cell, widths[at] ?? 0)
    return isLast ? [fitting] : [padded(fitting, widths[at] ?? 0), between]
  })

const padded = (text: Text, columns: number): Text => [text, ' '.repeat(Math.max(0, columns - width(text)))]
