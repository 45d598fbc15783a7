import { useSignal } from '@preact/signals'
import { texts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

/** Copies a text, and reports whether it worked. */
export function CopyButton({ text, of }: { readonly text: string; readonly of: string }) {
  const outcome = useSignal<'copied' | 'failed' | undefined>(undefined)
  const copy = async () => {
    try {
      // A page that is not served over HTTPS has no clipboard.
      await navigator.clipboard.writeText(text)
      outcome.value = 'copied'
    } catch {
      outcome.value = 'failed'
    }
    setTimeout(() => {
      outcome.value = undefined
    }, 4_000)
  }
  const { copy: label, copied, copyFailed } = texts.value
  return (
    <>
      <button type="button" class="with-icon" onClick={() => void copy()} aria-label={`${label}: ${of}`}>
        <Icon name={outcome.value === 'copied' ? 'check' : 'copy'} />
        {outcome.value === 'copied' ? copied : label}
      </button>
      <span role="status" class={outcome.value === 'failed' ? 'quiet' : 'unseen'}>
        {outcome.value === 'failed' ? copyFailed : outcome.value === 'copied' ? copied : ''}
      </span>
    </>
  )
}
