/** The person who has signed in, and signing out here or everywhere. */

import { type SignedIn, signOutPerson } from '../session/session.ts'
import { accountsTexts } from '../texts/accounts.ts'
import { texts } from '../texts/texts.ts'
import { AskButton, Trouble, useAsked } from './asked.tsx'
import { DialogButton } from './dialog.tsx'
import { Icon } from './icon.tsx'

export function Person({ session }: { readonly session: SignedIn }) {
  const { shell } = texts.value
  const text = accountsTexts.value
  const asked = useAsked()
  const name = session.own.account?.name ?? ''
  const leave = (everywhere: boolean) => void asked.run(() => signOutPerson(everywhere))
  return (
    <>
      <p class="quiet">
        <bdi>{text.signedInAs(name)}</bdi>
      </p>
      <DialogButton
        look="with-icon"
        title={shell.signOut}
        label={
          <>
            <Icon name="leave" />
            {shell.signOut}
          </>
        }
      >
        <div class="form">
          <p>
            <bdi>{text.signedInAs(name)}</bdi>
          </p>
          <Trouble error={asked.error.value} />
          <div class="buttons">
            <AskButton of={asked} onClick={() => leave(true)}>
              {text.everywhere}
            </AskButton>
            <AskButton of={asked} class="main" onClick={() => leave(false)}>
              {text.onlyHere}
            </AskButton>
          </div>
        </div>
      </DialogButton>
    </>
  )
}

/** In place of the views that the session does not allow. */
export const NoScopes = () => <p class="card">{accountsTexts.value.noScopes}</p>
