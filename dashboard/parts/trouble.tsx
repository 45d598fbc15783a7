/** A failure where it happened: what is wrong, in words, and what to do. */
import type { FarmgateError } from '../../client/index.ts'
import { words } from '../words/words.ts'

export interface TroubleProps {
  readonly error: FarmgateError
  /** Offers to try again. */
  readonly again?: () => void
}

export function Trouble({ error, again }: TroubleProps) {
  const { troubles, troubleOf, requestId, tryAgain } = words.value
  const [what, cure] = Object.hasOwn(troubles, error.code)
    ? (troubles[error.code as keyof typeof troubles] ?? [])
    : []
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{what ?? troubleOf(error.message)}</strong> {cure}
      </p>
      {error.status !== undefined && error.status >= 500 && error.requestId !== undefined && (
        <p class="quiet">{requestId(error.requestId)}</p>
      )}
      {again !== undefined && (
        <button type="button" onClick={again}>
          {tryAgain}
        </button>
      )}
    </div>
  )
}
