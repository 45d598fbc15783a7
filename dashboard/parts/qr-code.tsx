/** A text as a QR code. */
import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'
import { texts } from '../texts/texts.ts'

export function QrCode({ text }: { readonly text: string }) {
  const code = generate(text)
  return (
    <svg
      class="qr"
      role="img"
      aria-label={texts.value.qrOf(text)}
      viewBox={`-3 -3 ${code.size + 6} ${code.size + 6}`}
    >
      <path d={toSvgPath(code)} />
    </svg>
  )
}
