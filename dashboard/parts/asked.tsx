/** A request to the farm by a button or a form: whether it is pending, and how it ended; and a failure as text. */
import { signal, useComputed, useSignal } from '@preact/signals'
import type { ComponentProps } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { FarmgateError } from '../../client/index.ts'
import { isGameOffline, isLost, noteRefusal } from '../session/connection.ts'
import { language, texts } from '../texts/texts.ts'
import { WithHelp } from './help.tsx'

type Asked = ReturnType<typeof useAsked>

/** @param needs what the request needs; the button waits while it is out of reach */
export function useAsked(needs: 'farmgate' | 'game' = 'farmgate') {
  const isBusy = useSignal(false)
  const mustWait = useComputed(
    () => isBusy.value || isLost.value || (needs === 'game' && isGameOffline.value),
  )
  const error = useSignal<FarmgateError | undefined>(undefined)
  const ended = useMemo(() => new AbortController(), [])
  useEffect(() => () => ended.abort(), [])
  return {
    isBusy,
    /** The button waits: the request is pending, or farmgate, or the game that it needs, is unreachable. */
    mustWait,
    error,
    /**
     * Runs it unless it must wait.
     * @param ask called with a signal that is aborted when the part leaves the page
     * @returns whether it ended well
     */
    async run(ask: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
      if (mustWait.value) return false
      isBusy.value = true
      error.value = undefined
      try {
        await ask(ended.signal)
        return true
      } catch (reason) {
        noteRefusal(reason)
        if (!ended.signal.aborted) error.value = asFailure(reason)
        return false
      } finally {
        isBusy.value = false
      }
    },
  }
}

/** Logs errors that are not the client's to the browser's console, because they are faults of this page. */
export function asFailure(reason: unknown): FarmgateError {
  if (reason instanceof FarmgateError) return reason
  // biome-ignore lint/suspicious/noConsole: a browser has no other log
  console.error(reason)
  return new FarmgateError('page_fault', String(reason))
}

/** The button of a request, which waits with it. Without `onClick` it submits its form. */
export const AskButton = ({ of, ...more }: ComponentProps<'button'> & { readonly of: Asked }) => (
  <button
    type={more.onClick === undefined ? 'submit' : 'button'}
    aria-disabled={of.mustWait.value}
    {...more}
  />
)

/** A failure where it happened: the problem and its fix, as text. */

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
  'ambiguous_name',
  'archive_refused',
  'bad_game_response',
  'disk_failed',
  'host_undecided',
  'host_unavailable',
  'invalid_parameter',
  'issuer_unavailable',
  'mod_needed',
  'not_found',
  'restore_refused',
  'restore_undone',
  'save_exists',
  'save_refused',
  'settings_unusable',
  'unsupported',
  'updates_unavailable',
]

/** The errors of the API load after the page. One that comes earlier is shown in the words of the server. */
const problemTexts = signal<typeof import('../texts/problems.ts').problemTexts>()
void import('../texts/problems.ts').then(
  (loaded) => {
    problemTexts.value = loaded.problemTexts
  },
  () => undefined,
)

/** What is wrong, and what to do. */
function troubleTexts(code: string): readonly string[] {
  const { troubles } = texts.value
  if (Object.hasOwn(troubles, code)) return troubles[code as keyof typeof troubles]
  return problemTexts.value?.(code, language.value) ?? []
}

export function Trouble({ error, cure: own, again }: TroubleProps) {
  if (error === undefined) return null
  const { troubleOf, requestId, tryAgain } = texts.value
  const [what, cure] = troubleTexts(error.code)
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

/** A problem of the farm, and its fix. A failed request is shown by `Trouble`. */
export const Note = ({ what, cure }: { readonly what: string; readonly cure: string }) => (
  <div class="trouble">
    <p>
      <strong>{what}</strong> <WithHelp text={cure} />
    </p>
  </div>
)
