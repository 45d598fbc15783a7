/** The zip of the mods that players need, and links to it. */
import { useSignal } from '@preact/signals'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Choice } from '../../parts/form.tsx'
import { addressOfApi, type SignedIn } from '../../session/session.ts'
import { dateTime } from '../../texts/texts.ts'
import { modsTexts } from './texts.ts'

interface Link {
  readonly url: string
  readonly expiresAt: string
}

export function PlayersPack({ session }: { readonly session: SignedIn }) {
  const text = modsTexts.value
  const days = useSignal<1 | 7 | 30>(7)
  const link = useSignal<Link | undefined>(undefined)
  const asked = useAsked()
  const make = (expiresInDays: number) =>
    asked.run(async () => {
      const { url, expiresAt } = await session.farm.createPackLink({ expiresInDays })
      link.value = { url: addressOfApi(url), expiresAt }
    })
  return (
    <section class="card">
      <h2>{text.pack}</h2>
      <p class="quiet">{text.packHint}</p>
      <div class="form">
        <Choice label={text.validFor} among={[1, 7, 30] as const} of={days} texts={text.days} />
        <AskButton of={asked} onClick={() => void make(days.value)}>
          {text.makeLink}
        </AskButton>
      </div>
      <Trouble error={asked.error.value} />
      {link.value !== undefined && (
        <div role="status">
          <p>
            <a href={link.value.url} download="mods.zip">
              {text.download}
            </a>{' '}
            <CopyButton text={link.value.url} of={text.pack} />
          </p>
          <p class="quiet">{text.until(dateTime(link.value.expiresAt))}</p>
        </div>
      )}
    </section>
  )
}
