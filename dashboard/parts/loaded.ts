/** Data that a view reads when it opens, and again on request or at an interval. */
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FarmgateError } from '../../client/index.ts'
import { isGameOffline, isLost, noteRefusal } from '../session/connection.ts'
import { asFailure } from './asked.tsx'

export interface Loaded<T> {
  readonly value: Signal<T | undefined>
  readonly error: Signal<FarmgateError | undefined>
  /** It was not read yet and has not failed. */
  readonly isBusy: ReadonlySignal<boolean>
  again(): Promise<void>
}

/**
 * Also read again when farmgate or the game is back. A newer read aborts the one before it.
 * @param read gets what was read last
 * @param every milliseconds until it is read again, while the page is visible; 0: only on request. It can depend on
 * what was read last
 */
export function useLoaded<T>(
  read: (signal: AbortSignal, last: T | undefined) => Promise<T>,
  every: number | ((last: T | undefined) => number) = 0,
): Loaded<T> {
  const value = useSignal<T | undefined>(undefined)
  const error = useSignal<FarmgateError | undefined>(undefined)
  const isBusy = useComputed(() => value.value === undefined && error.value === undefined)
  const underWay = useRef<AbortController | undefined>(undefined)
  const again = async () => {
    underWay.current?.abort()
    const own = new AbortController()
    underWay.current = own
    try {
      value.value = await read(own.signal, value.value)
      error.value = undefined
    } catch (reason) {
      if (own.signal.aborted) return
      noteRefusal(reason)
      // While farmgate or the game is unreachable, the page shows that already, and the last data stays.
      if (value.value === undefined || !isOut()) error.value = asFailure(reason)
    } finally {
      if (underWay.current === own) underWay.current = undefined
    }
  }
  useEffect(() => {
    void again()
    return () => underWay.current?.abort()
  }, [])
  const pause = typeof every === 'number' ? every : every(value.value)
  useEffect(() => {
    if (pause === 0) return
    const refresh = () => {
      if (!document.hidden && !isLost.value && underWay.current === undefined) void again()
    }
    const timer = setInterval(refresh, pause)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [pause])
  const wasOut = useRef(false)
  const isNowOut = isOut()
  useEffect(() => {
    if (wasOut.current && !isNowOut) void again()
    wasOut.current = isNowOut
  }, [isNowOut])
  return { value, error, isBusy, again }
}

const isOut = () => isLost.value || isGameOffline.value
