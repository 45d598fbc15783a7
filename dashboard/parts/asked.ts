/** A request to the farm by a button or a form: whether it is pending, and how it ended. */
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { FarmgateError } from '../../client/index.ts'
import { isGameOffline, isLost, noteRefusal } from '../session/connection.ts'

export interface Asked {
  readonly isBusy: Signal<boolean>
  /** The button waits: the request is pending, or farmgate, or the game that it needs, is unreachable. */
  readonly mustWait: ReadonlySignal<boolean>
  readonly error: Signal<FarmgateError | undefined>
  /**
   * Runs it unless it must wait.
   * @param ask called with a signal that is aborted when the part leaves the page
   * @returns whether it ended well
   */
  run(ask: (signal: AbortSignal) => Promise<unknown>): Promise<boolean>
}

/** @param needs what the request needs; the button waits while it is out of reach */
export function useAsked(needs: 'farmgate' | 'game' = 'farmgate'): Asked {
  const isBusy = useSignal(false)
  const mustWait = useComputed(
    () => isBusy.value || isLost.value || (needs === 'game' && isGameOffline.value),
  )
  const error = useSignal<FarmgateError | undefined>(undefined)
  const ended = useMemo(() => new AbortController(), [])
  useEffect(() => () => ended.abort(), [])
  return {
    isBusy,
    mustWait,
    error,
    async run(ask) {
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
