/** Data that a view reads when it opens, and again on request or at an interval. */
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FarmgateError } from '../../client/index.ts'
import { noteRefusal } from '../session/session.ts'
import { asFailure } from './asked.ts'

export interface Loaded<T> {
  readonly value: Signal<T | undefined>
  readonly error: Signal<FarmgateError | undefined>
  /** It was neither read yet nor failed. */
  readonly isBusy: ReadonlySignal<boolean>
  again(): Promise<void>
}

/** @param every milliseconds until it is read again, while the page is visible; 0: only on request */
export function useLoaded<T>(read: (signal: AbortSignal) => Promise<T>, every = 0): Loaded<T> {
  const value = useSignal<T | undefined>(undefined)
  const error = useSignal<FarmgateError | undefined>(undefined)
  const isBusy = useComputed(() => value.value === undefined && error.value === undefined)
  const load = async (signal: AbortSignal) => {
    try {
      value.value = await read(signal)
      error.value = undefined
    } catch (reason) {
      if (signal.aborted) return
      noteRefusal(reason)
      error.value = asFailure(reason)
    }
  }
  useEffect(() => {
    const ended = new AbortController()
    void load(ended.signal)
    const timer = every > 0 ? setInterval(() => void refresh(), every) : undefined
    const refresh = async () => {
      if (document.hidden) return
      // The page shows elsewhere that the farm does not answer, so the data that was read last stays.
      const next = await read(ended.signal).catch(() => undefined)
      if (next !== undefined) value.value = next
    }
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [])
  return { value, error, isBusy, again: () => load(new AbortController().signal) }
}
