/** The people who sign in, their sessions, invitations, and the groups that give scopes. */
import { useSignal } from '@preact/signals'
import { scopes } from '../../../client/choices.ts'
import type { AccountRecord, Invitation, Key, NewInvitation, Scope } from '../../../client/index.ts'
import { Allows } from '../../parts/allows.tsx'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { QrButton } from '../../parts/copy-button.tsx'
import { Dialog, DialogButton } from '../../parts/dialog.tsx'
import { AskForm, Check, Choice, ConfirmButton } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { Secret } from '../../parts/secret.tsx'
import { noteStored, StoredInMemory } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { accountsTexts } from '../../texts/accounts.ts'
import { keyTexts } from '../../texts/keys.ts'
import { dateTime, texts } from '../../texts/texts.ts'
import { Groups } from './groups.tsx'

interface OfView {
  readonly session: SignedIn
  readonly onDone: () => Promise<void>
}

export function AccountsView({ session }: { readonly session: SignedIn }) {
  const text = accountsTexts.value
  const { farm } = session
  const loaded = useLoaded(async (signal) => {
    const [people, { invitations }, { keys }, { servers }] = await Promise.all([
      farm.accounts({}, { signal }),
      farm.invitations({}, { signal }),
      farm.keys({}, { signal }),
      farm.discordServers({}, { signal }),
    ])
    return { ...people, invitations, servers, keys }
  })
  const made = useSignal<NewInvitation | undefined>(undefined)
  const of = { session, onDone: loaded.again }
  const known = loaded.value.value
  return (
    <div class="view" aria-busy={loaded.isBusy.value}>
      <h1>{texts.value.views.accounts}</h1>
      <StoredInMemory />
      <Trouble error={loaded.error.value} again={() => void loaded.again()} />
      {known !== undefined && (
        <>
          <section class="card">
            <h2>{text.people}</h2>
            <p class="quiet">{text.hint}</p>
            {known.accounts.length === 0 && <p>{text.noOne}</p>}
            <ul class="people">
              {known.accounts.map((account) => (
                <OneAccount
                  key={account.id}
                  {...of}
                  account={account}
                  sessions={known.keys.filter((one) => one.account?.id === account.id)}
                  made={known.keys.filter((one) => one.madeBy?.id === account.id)}
                />
              ))}
            </ul>
          </section>
          <section class="card">
            <h2>{text.invitations}</h2>
            {known.invitations.length === 0 && <p>{text.noInvitation}</p>}
            <ul class="people">
              {known.invitations.map((one) => (
                <OneInvitation key={one.id} {...of} invitation={one} />
              ))}
            </ul>
          </section>
          <Invite
            session={session}
            onMade={(invitation) => {
              made.value = invitation
              void loaded.again()
            }}
          />
          <Groups key={JSON.stringify(known.groups)} {...of} groups={known.groups} servers={known.servers} />
        </>
      )}
      {made.value !== undefined && (
        <Dialog
          title={text.invitation}
          onClose={() => {
            made.value = undefined
          }}
        >
          <div class="form">
            <Secret hint={text.shownOnce} secret={made.value.url} of={text.invitation} />
            <QrButton text={made.value.url} />
          </div>
        </Dialog>
      )}
    </div>
  )
}

interface OneAccountProps extends OfView {
  readonly account: AccountRecord
  readonly sessions: readonly Key[]
  /** The keys that the person made. */
  readonly made: readonly Key[]
}

const namesOf = (given: readonly Scope[]): string =>
  given.map((scope) => keyTexts.value.scopes[scope][0]).join(' · ')

function OneAccount({ session, account, sessions, made, onDone }: OneAccountProps) {
  const withKeys = useSignal(true)
  const text = accountsTexts.value
  const keys = keyTexts.value
  const { id, name, provider, groupScopes, signedInAt } = account
  const all = scopes.filter((scope) => account.scopes.includes(scope) || groupScopes.includes(scope))
  return (
    <li>
      <bdi>{name}</bdi>
      <span class="quiet">
        {all.length === 0 ? text.nothing : namesOf(all)}
        {' — '}
        {text.from(provider, dateTime(signedInAt))}
      </span>
      <div class="buttons">
        <DialogButton label={text.change} title={name}>
          {(close) => <Change session={session} account={account} onDone={onDone} close={close} />}
        </DialogButton>
        <DialogButton label={text.sessions(sessions.length)} title={text.sessions(sessions.length)}>
          <ul class="people">
            {sessions.map((one) => (
              <li key={one.id}>
                <span>{text.since(dateTime(one.createdAt))}</span>
                <span class="quiet">
                  {one.lastUsedAt === undefined ? keys.neverUsed : keys.lastUsed(dateTime(one.lastUsedAt))}
                </span>
                <div class="buttons">
                  <End session={session} id={one.id} onDone={onDone} />
                </div>
              </li>
            ))}
          </ul>
        </DialogButton>
        <ConfirmButton
          label={text.remove}
          ask={() => session.farm.deleteAccount({ id, keys: withKeys.value }).then(noteStored)}
          onDone={onDone}
        >
          <p>
            <bdi>{name}</bdi>
          </p>
          <p>{text.removeHint}</p>
          {made.length > 0 && (
            <Check label={text.withKeys(made.map((one) => one.name).join(', '))} of={withKeys} />
          )}
        </ConfirmButton>
      </div>
    </li>
  )
}

function End({ session, id, onDone }: OfView & { readonly id: string }) {
  const asked = useAsked()
  const end = () =>
    void asked.run(async () => {
      noteStored(await session.farm.revokeKey({ id }))
      await onDone()
    })
  return (
    <>
      <Trouble error={asked.error.value} />
      <AskButton of={asked} class="danger" onClick={end}>
        {accountsTexts.value.end}
      </AskButton>
    </>
  )
}

interface ChangeProps extends OfView {
  readonly account: AccountRecord
  readonly close: () => void
}

function Change({ session, account, onDone, close }: ChangeProps) {
  const text = accountsTexts.value
  const keys = keyTexts.value
  const chosen = useSignal<readonly Scope[]>(account.scopes)
  const save = async () => {
    noteStored(await session.farm.changeAccount({ id: account.id, scopes: [...chosen.value] }))
    await onDone()
    close()
  }
  return (
    <AskForm ask={save} label={text.save}>
      <Allows chosen={chosen} />
      {account.groupScopes.length > 0 && (
        <p class="quiet">
          {text.ofGroups(account.groupScopes.map((scope) => keys.scopes[scope][0]).join(' · '))}
        </p>
      )}
    </AskForm>
  )
}

function OneInvitation({ session, invitation, onDone }: OfView & { readonly invitation: Invitation }) {
  const text = accountsTexts.value
  const { id, uses, used, expiresAt } = invitation
  return (
    <li>
      <span>{namesOf(invitation.scopes)}</span>
      <span class="quiet">
        {text.used(String(used), String(uses))} · {keyTexts.value.until(dateTime(expiresAt))}
      </span>
      <div class="buttons">
        <ConfirmButton
          label={text.remove}
          ask={() => session.farm.deleteInvitation({ id }).then(noteStored)}
          onDone={onDone}
        >
          <p>{text.withdrawHint}</p>
        </ConfirmButton>
      </div>
    </li>
  )
}

interface InviteProps {
  readonly session: SignedIn
  readonly onMade: (invitation: NewInvitation) => void
}

function Invite({ session, onMade }: InviteProps) {
  const text = accountsTexts.value
  const chosen = useSignal<readonly Scope[]>(['read', 'chat'])
  const days = useSignal(7)
  const uses = useSignal(1)
  const make = () =>
    session.farm
      .createInvitation({ scopes: [...chosen.value], expiresInDays: days.value, uses: uses.value })
      .then((made) => onMade(noteStored(made)))
  return (
    <AskForm class="card form" ask={make} label={text.invite} disabled={chosen.value.length === 0}>
      <h2>{text.invite}</h2>
      <Allows chosen={chosen} />
      <Choice label={text.forPeople} among={[1, 2, 5, 10, 100]} of={uses} texts={(one) => text.count(one)} />
      <Choice
        label={keyTexts.value.lasts}
        among={[1, 7, 30]}
        of={days}
        texts={(one) => (one === 1 ? text.oneDay : keyTexts.value.days(String(one)))}
      />
    </AskForm>
  )
}
