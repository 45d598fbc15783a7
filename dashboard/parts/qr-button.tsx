import { useSignal } from '@preact/signals'
import { words } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

interface Drawn {
  readonly size: number
  readonly path: string
}

/** Shows a text as a QR code; what draws it is loaded when it is asked for. */
export function QrButton({ text }: { readonly text: string }) {
  const drawn = useSignal<Drawn | undefined>(undefined)
  const draw = async () => {
    const [{ generate }, { toSvgPath }] = await Promise.all([import('lean-qr'), import('lean-qr/extras/svg')])
    const code = generate(text)
    drawn.value = { size: code.size, path: toSvgPath(code) }
  }
  const { showQr, qrOf } = words.value
  return (
    <>
      <button type="button" class="with-icon" onClick={() => void draw()} aria-label={`${showQr}: ${text}`}>
        <Icon name="qr" />
        QR
      </button>
      {drawn.value !== undefined && (
        <Dialog
          title={text}
          onClose={() => {
            drawn.value = undefined
          }}
        >
          <svg
            class="qr"
            role="img"
            aria-label={qrOf(text)}
            viewBox={`-3 -3 ${drawn.value.size + 6} ${drawn.value.size + 6}`}
          >
            <path d={drawn.value.path} />
          </svg>
        </Dialog>
      )}
    </>
  )
}
