/** The zip of the mods that players need, and the links to it. */
import { useSignal } from '@preact/signals'
import type { PackLink } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Choice } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { noteStored, StoredInMemory } from '../../parts/stored-in-memory.tsx'
import { addressOfApi, type SignedIn } from '../../session/session.ts'
import { dateTime } from '../../texts/texts.ts'
import { modsTexts } from './texts.ts'

interface Link {
  readonly id: string
  readonly url: string
  readonly expiresAt: string
}

export function PlayersPack({ session }: { readonly session: SignedIn }) {
  const text = modsTexts.value
  const days = useSignal<1 | 7 | 30>(7)
  const link = useSignal<Link | undefined>(undefined)
  const made = useLoaded(async (signal) => (await session.farm.packLinks({}, { signal })).links)
  const asked = useAsked()
  const make = (expiresInDays: number) =>
    asked.run(async () => {
      const { url, ...more } = await session.farm.createPackLink({ expiresInDays })
      link.value = { ...more, url: addressOfApi(url) }
      await made.again()
    })
  const revoked = async (id: string) => {
    if (link.value?.id === id) link.value = undefined
    await made.again()
  }
  const links = made.value.value ?? []
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
      <Trouble error={made.error.value} again={() => void made.again()} />
      {links.length > 0 && (
        <>
          <h3>{text.links}</h3>
          <StoredInMemory />
          <ul class="links">
            {links.map((one) => (
              <OneLink key={one.id} session={session} link={one} onRevoked={() => revoked(one.id)} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

interface OneLinkProps {
  readonly session: SignedIn
  readonly link: PackLink
  readonly onRevoked: () => Promise<void>
}

function OneLink({ session, link: { id, createdAt, expiresAt, by }, onRevoked }: OneLinkProps) {
  const text = modsTexts.value
  const asked = useAsked()
  const revoke = () =>
    asked.run(async () => {
      noteStored(await session.farm.revokePackLink({ id }))
      await onRevoked()
    })
  return (
    <li>
      <span>
        {text.ends(dateTime(expiresAt))}{' '}
        <span class="quiet">
          <bdi>{text.made(by.name, dateTime(createdAt))}</bdi>
        </span>
      </span>
      <AskButton of={asked} onClick={() => void revoke()}>
        {text.revoke}
      </AskButton>
      <Trouble error={asked.error.value} />
    </li>
  )
}
