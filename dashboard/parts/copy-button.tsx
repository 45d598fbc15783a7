import { useSignal } from '@preact/signals'
import { texts } from '../texts/texts.ts'
import { DialogButton } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { later } from './later.tsx'

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

const QrCode = later(async () => (await import('./qr-code.tsx')).QrCode)

/** Shows a text as a QR code. */
export function QrButton({ text }: { readonly text: string }) {
  return (
    <DialogButton
      look="with-icon"
      label={
        <>
          <Icon name="qr" />
          QR
        </>
      }
      name={`${texts.value.showQr}: ${text}`}
      title={text}
    >
      <QrCode text={text} />
    </DialogButton>
  )
}
