import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

export interface OpenedProps {
  readonly summary: string
  /** Called only when it is opened, so that closed parts are not rendered. */
  readonly children: () => ComponentChildren
}

export function Opened({ summary, children }: OpenedProps) {
  const isOpen = useSignal(false)
  return (
    <details
      class="opened"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && children()}
    </details>
  )
}
