import type { ComponentProps } from 'preact'
import type { Asked } from './asked.ts'

/** The button of a request, which waits with it. Without `onClick` it submits its form. */
export const AskButton = ({ of, ...more }: ComponentProps<'button'> & { readonly of: Asked }) => (
  <button
    type={more.onClick === undefined ? 'submit' : 'button'}
    aria-disabled={of.mustWait.value}
    {...more}
  />
)
