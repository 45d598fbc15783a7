/** A failure where it happened: the problem and its fix, as text. */
import type { FarmgateError } from '../../client/index.ts'
import { texts } from '../texts/texts.ts'

export interface TroubleProps {
  /** Nothing is shown while it is undefined. */
  readonly error: FarmgateError | undefined
  /** The fix, where the view has better advice than the one for the error code. */
  readonly cure?: string | undefined
  /** Offers to try again. */
  readonly again?: (() => void) | undefined
}

/** Codes with more than one cause, which the server's sentence names. */
const detailed: readonly string[] = [
  'settings_unusable',
  'restore_refused',
  'restore_undone',
  'disk_failed',
  'archive_refused',
  'unsupported',
]

export function Trouble({ error, cure: own, again }: TroubleProps) {
  if (error === undefined) return null
  const { troubles, troubleOf, requestId, tryAgain } = texts.value
  const [what, cure] = Object.hasOwn(troubles, error.code)
    ? (troubles[error.code as keyof typeof troubles] ?? [])
    : []
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{what ?? troubleOf(error.message)}</strong> {own ?? cure}
      </p>
      {what !== undefined && own === undefined && detailed.includes(error.code) && (
        <p class="quiet">{troubleOf(error.message)}</p>
      )}
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
