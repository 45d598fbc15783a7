import type { Line } from '../session/live-farm.ts'
import { words } from '../words/words.ts'

/** The state of the connection, in words. Each state is an element of its own, so that none moves by another's width. */
export const LineState = ({ line }: { readonly line: Line }) => (
  <p class="line-state" role="status" data-line={line}>
    <span key={line}>{words.value.line[line]}</span>
  </p>
)
