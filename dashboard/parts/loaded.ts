/** What a view reads when it opens, and reads again when it is asked to. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FarmgateError } from '../../client/index.ts'
import { noteRefusal } from '../session.ts'
import { asFailure } from './asked.ts'

export interface Loaded<T> {
  readonly value: Signal<T | undefined>
  readonly error: Signal<FarmgateError | undefined>
  again(): Promise<void>
}

export function useLoaded<T>(read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const value = useSignal<T | undefined>(undefined)
  const error = useSignal<FarmgateError | undefined>(undefined)
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
    return () => ended.abort()
  }, [])
  return { value, error, again: () => load(new AbortController().signal) }
}
