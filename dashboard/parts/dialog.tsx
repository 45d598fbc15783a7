import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** A dialog in front of the page; the browser keeps the focus in it and returns it. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // One that leaves the page without being closed would not return the focus.
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          class="bare"
          aria-label={texts.value.close}
          onClick={() => element.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
