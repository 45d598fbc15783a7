import { useSignal } from '@preact/signals'
import type { ComponentChild, ComponentChildren } from 'preact'

interface FoldProps {
  readonly summary: ComponentChildren
  readonly children: ComponentChildren
  /** A colour of the row: that of `data-state` in the styles. */
  readonly state?: string | undefined
  readonly onToggle?: (isOpen: boolean) => void
  /** Next to the row: further actions. */
  readonly menu?: ComponentChildren
}

/** A row of a list that opens to show details. */
export const Fold = ({ summary, children, state, onToggle, menu }: FoldProps) => (
  <li class="fold" data-state={state}>
    <details onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}>
      <summary>{summary}</summary>
      <div class="more-of-it">{children}</div>
    </details>
    {menu}
  </li>
)

export type FactPair = readonly [name: ComponentChild, value: ComponentChild]

/** Names and values; undefined pairs are omitted. */
export const Facts = ({ of }: { readonly of: readonly (FactPair | undefined)[] }) => (
  <dl class="facts">
    {of.map(
      (pair, at) =>
        pair !== undefined && (
          <div key={at}>
            <dt>{pair[0]}</dt>
            <dd dir="auto">{pair[1]}</dd>
          </div>
        ),
    )}
  </dl>
)

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
