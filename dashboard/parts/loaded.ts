/** Data that a view reads when it opens, and again on request or at an interval. */
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FarmgateError } from '../../client/index.ts'
import { isGameOffline, isLost, noteRefusal } from '../session/connection.ts'
import { asFailure } from './asked.ts'

export interface Loaded<T> {
  readonly value: Signal<T | undefined>
  readonly error: Signal<FarmgateError | undefined>
  /** It was not read yet and has not failed. */
  readonly isBusy: ReadonlySignal<boolean>
  again(): Promise<void>
}

/**
 * Also read again when farmgate or the game is back.
 * @param every milliseconds until it is read again, while the page is visible, and when it becomes visible; 0: only on request
 */
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
      // While farmgate or the game is unreachable, the page shows that already, and the last data stays.
      if (value.value === undefined || !isOut()) error.value = asFailure(reason)
    }
  }
  useEffect(() => {
    const ended = new AbortController()
    void load(ended.signal)
    const refresh = () => {
      if (!document.hidden && !isLost.value) void load(ended.signal)
    }
    const timer = every > 0 ? setInterval(refresh, every) : undefined
    if (every > 0) document.addEventListener('visibilitychange', refresh, { signal: ended.signal })
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [])
  const again = () => load(new AbortController().signal)
  const wasOut = useRef(false)
  const isNowOut = isOut()
  useEffect(() => {
    if (wasOut.current && !isNowOut) void again()
    wasOut.current = isNowOut
  }, [isNowOut])
  return { value, error, isBusy, again }
}

const isOut = () => isLost.value || isGameOffline.value
