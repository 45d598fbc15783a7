/** The named keys: their names and scopes; make one, which is shown once, and revoke one. */
import { useSignal } from '@preact/signals'
import type { Key, NewKey, Scope } from '../../client/index.ts'
import { Allows } from '../parts/allows.tsx'
import { Trouble } from '../parts/asked.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { AskForm, Choice, ConfirmButton, Field } from '../parts/form.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Secret } from '../parts/secret.tsx'
import { noteStored, StoredInMemory } from '../parts/stored-in-memory.tsx'
import type { SignedIn } from '../session/session.ts'
import { keyTexts } from '../texts/keys.ts'
import { dateTime, texts } from '../texts/texts.ts'

export function KeysView({ session }: { readonly session: SignedIn }) {
  const text = keyTexts.value
  const { views } = texts.value
  const keys = useLoaded(async (signal) => (await session.farm.keys({}, { signal })).keys)
  const made = useSignal<NewKey | undefined>(undefined)
  return (
    <div class="view" aria-busy={keys.isBusy.value}>
      <h1>{views.keys}</h1>
      <StoredInMemory />
      <Trouble error={keys.error.value} again={() => void keys.again()} />
      {keys.value.value !== undefined && (
        <section class="card">
          <p class="quiet">{text.hint}</p>
          {keys.value.value.length === 0 && <p>{text.none}</p>}
          <ul class="people">
            {keys.value.value.map((key) => (
              <OneKey key={key.id} named={key} session={session} onDone={keys.again} />
            ))}
          </ul>
        </section>
      )}
      {!keys.isBusy.value && (
        <MakeKey
          session={session}
          onMade={(key) => {
            made.value = key
            void keys.again()
          }}
        />
      )}
      {made.value !== undefined && (
        <Dialog
          title={made.value.name}
          onClose={() => {
            made.value = undefined
          }}
        >
          <div class="form">
            <Secret hint={text.shownOnce} secret={made.value.key} of={made.value.name} />
          </div>
        </Dialog>
      )}
    </div>
  )
}

interface OneKeyProps {
  readonly named: Key
  readonly session: SignedIn
  readonly onDone: () => Promise<void>
}

function OneKey({ named, session, onDone }: OneKeyProps) {
  const text = keyTexts.value
  const { name, scopes, lastUsedAt, expiresAt, account, madeBy } = named
  return (
    <li>
      <bdi>{name}</bdi>
      <span class="quiet">
        {account !== undefined && `${text.session} · `}
        {scopes.map((scope) => text.scopes[scope][0]).join(' · ')}
        {' — '}
        {lastUsedAt === undefined ? text.neverUsed : text.lastUsed(dateTime(lastUsedAt))}
        {expiresAt !== undefined && ` · ${text.until(dateTime(expiresAt))}`}
        {madeBy !== undefined && ` · ${text.madeBy(madeBy.name)}`}
      </span>
      <div class="buttons">
        <ConfirmButton
          label={text.revoke}
          ask={() => session.farm.revokeKey({ id: named.id }).then(noteStored)}
          onDone={onDone}
        >
          <p>
            <bdi>{name}</bdi>
          </p>
          <p>{text.revokeHint}</p>
        </ConfirmButton>
      </div>
    </li>
  )
}

/** Days; 0 is unlimited. */
const lasts = [0, 7, 30, 365]

interface MakeKeyProps {
  readonly session: SignedIn
  readonly onMade: (key: NewKey) => void
}

function MakeKey({ session, onMade }: MakeKeyProps) {
  const text = keyTexts.value
  const name = useSignal('')
  const chosen = useSignal<readonly Scope[]>(['read', 'chat'])
  const days = useSignal(0)
  const canBeMade = name.value.trim() !== '' && chosen.value.length > 0
  const make = async () => {
    const request = { name: name.value.trim(), scopes: [...chosen.value] }
    const given = { ...request, ...(days.value > 0 && { expiresInDays: days.value }) }
    onMade(noteStored(await session.farm.createKey(given)))
    name.value = ''
  }
  return (
    <AskForm class="card form" ask={make} label={text.make} disabled={!canBeMade}>
      <h2>{text.make}</h2>
      <Field label={text.name} of={name} maxLength={64} />
      <Allows chosen={chosen} />
      <Choice
        label={text.lasts}
        among={lasts}
        of={days}
        texts={(one) => (one === 0 ? text.forEver : text.days(String(one)))}
      />
    </AskForm>
  )
}
