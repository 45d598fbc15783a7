/** An invitation that was opened: what it gives is shown before it is accepted. */
import { useSignal } from '@preact/signals'
import type { Scope } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { Providers } from '../../parts/providers.tsx'
import { setInvitation } from '../../session/person.ts'
import { openPerson, publicFarm, session } from '../../session/session.ts'
import { accountsTexts } from '../../texts/accounts.ts'
import { keyTexts } from '../../texts/keys.ts'
import { dateTime } from '../../texts/texts.ts'

export function OpenedInvitation({ code }: { readonly code: string }) {
  const text = accountsTexts.value
  const keys = keyTexts.value
  const shown = useLoaded((signal) => publicFarm.showInvitation({ code }, { signal }))
  const given = useSignal<readonly Scope[] | undefined>(undefined)
  const asked = useAsked()
  const now = session.value
  const account = now.phase === 'signed-in' ? now.own.account : undefined
  const accept = () =>
    void asked.run(async () => {
      if (now.phase !== 'signed-in') return
      given.value = (await now.farm.acceptInvitation({ code })).scopes
      await openPerson()
    })
  const isOver = shown.error.value?.code === 'invitation_not_found'
  const { scopes = [], expiresAt } = shown.value.value ?? {}
  return (
    <Dialog title={text.invited} onClose={() => setInvitation(undefined)}>
      <div class="form" aria-busy={shown.isBusy.value}>
        {isOver ? <p>{text.over}</p> : <Trouble error={shown.error.value} again={() => void shown.again()} />}
        {expiresAt !== undefined && given.value === undefined && (
          <>
            <p>{text.gives}</p>
            <ul>
              {scopes.map((scope) => (
                <li key={scope}>
                  <strong>{keys.scopes[scope][0]}</strong> {keys.scopes[scope][1]}
                </li>
              ))}
            </ul>
            <p class="quiet">{text.until(dateTime(expiresAt))}</p>
            {account === undefined ? (
              <>
                <p>{now.phase === 'signed-in' ? text.leaveKey : text.signInFirst}</p>
                {now.phase !== 'signed-in' && <Providers />}
              </>
            ) : (
              <AskButton of={asked} class="main" onClick={accept}>
                {text.accept(account.name)}
              </AskButton>
            )}
          </>
        )}
        {given.value !== undefined && (
          <>
            <p role="status">{text.accepted}</p>
            <button type="button" class="main" onClick={() => setInvitation(undefined)}>
              {text.toFarm}
            </button>
          </>
        )}
        <Trouble error={asked.error.value} />
      </div>
    </Dialog>
  )
}
