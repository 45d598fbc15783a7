import type { Line } from '../session/live-farm.ts'
import { texts } from '../texts/texts.ts'

/** The state of the connection as text. Each state is a separate element, so that none moves by another's width. */
export const LineState = ({ line }: { readonly line: Line }) => (
  <p class="line-state" role="status" data-line={line}>
    <span key={line}>{texts.value.line[line]}</span>
  </p>
)
