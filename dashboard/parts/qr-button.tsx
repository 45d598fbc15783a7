import { texts } from '../texts/texts.ts'
import { DialogButton } from './dialog-button.tsx'
import { Icon } from './icon.tsx'
import { later } from './later.tsx'

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
