import { width } from '../terminal/table.ts'
import { paint, type Text } from '../terminal/text.ts'
import { wrapped } from '../terminal/wrap.ts'
import type { Check } from './check.ts'

const marks: Readonly<Record<Check['state'], Text>> = {
  ok: paint('green', '✔'),
  warning: paint('yellow', '!'),
  broken: paint('red', '✘'),
}

/** One line; where the terminal is narrower, the fix begins on a new line. */
export function checkLines({ check, state, found, fix }: Check, columns: number): readonly Text[] {
  const finding: Text = [marks[state], ' ', paint('bold', `${check}:`), ' ', found]
  const whole: Text = fix === undefined ? finding : [finding, paint('dim', ' → '), fix]
  if (width(whole) <= columns) return [whole]
  return [
    ...wrapped(finding, columns, 2),
    ...(fix === undefined ? [] : wrapped([paint('dim', '  → '), fix], columns, 4)),
  ]
}
