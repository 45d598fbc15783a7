/** A long list, which shows its first entries until all are requested. */
import { useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { number, texts } from '../texts/texts.ts'

/** @returns the entries to show, and a button for the others where there are any */
export function useFirstOf<One>(
  all: readonly One[],
  most: number,
): readonly [readonly One[], ComponentChild] {
  const isWhole = useSignal(false)
  const shown = isWhole.value ? all : all.slice(0, most)
  const hidden = all.length - shown.length
  return [
    shown,
    hidden > 0 && (
      <button
        type="button"
        onClick={() => {
          isWhole.value = true
        }}
      >
        {texts.value.showMore(number(hidden))}
      </button>
    ),
  ]
}
