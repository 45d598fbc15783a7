/** What can be done with a farmhand. */
import { useSignal } from '@preact/signals'
import type { Farmhand } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { DialogButton } from '../../parts/dialog.tsx'
import { AskForm, ConfirmButton, Field } from '../../parts/form.tsx'
import { PlayerName } from '../../parts/player-name.tsx'
import type { SignedIn } from '../../session/session.ts'
import { peopleTexts } from './texts.ts'

export interface FarmhandProps {
  readonly session: SignedIn
  readonly farmhand: Farmhand
}

export function MakeAdmin({ session, farmhand }: FarmhandProps) {
  const text = peopleTexts.value
  return (
    <ConfirmButton
      label={text.makeAdmin}
      kind="main"
      needs="game"
      ask={() => session.farm.grantAdmin({ playerId: farmhand.id })}
      done={<p>{text.isAdmin(farmhand.name)}</p>}
    >
      <p>{text.makeAdminHint(farmhand.name)}</p>
    </ConfirmButton>
  )
}

export interface DeleteProps extends FarmhandProps {
  readonly isOnline: boolean
  readonly onDone: () => Promise<void>
}

/** Deletes only after the name was typed: it cannot be undone. */
export function DeleteFarmhand({ session, farmhand, isOnline, onDone }: DeleteProps) {
  const text = peopleTexts.value
  const typed = useSignal('')
  const isSame = typed.value.trim() === farmhand.name.trim()
  const remove = async () => {
    await session.farm.deleteFarmhand({ playerId: farmhand.id })
    await onDone()
  }
  return (
    <DialogButton
      label={text.remove}
      title={text.removeTitle}
      look="danger"
      disabled={isOnline}
      hint={isOnline ? text.notWhileOnline : undefined}
    >
      <AskForm ask={remove} needs="game" label={text.remove} look="danger" disabled={!isSame || isOnline}>
        <p>
          <PlayerName name={farmhand.name} />
        </p>
        <p>{text.removeHint}</p>
        <Field label={text.typeName} of={typed} />
        {isOnline && <p role="status">{text.notWhileOnline}</p>}
      </AskForm>
    </DialogButton>
  )
}

export interface RebindProps extends FarmhandProps {
  /** Called when the game server does not support it, so that it is not offered again. */
  readonly onUnsupported: () => void
}

/** Gives a farmhand to the account of another join path. */
export function RebindFarmhand({ session, farmhand, onUnsupported }: RebindProps) {
  const text = peopleTexts.value
  const identity = useSignal('')
  const rebound = useSignal<string | undefined>(undefined)
  const asked = useAsked('game')
  const isUnsupported = asked.error.value?.code === 'unsupported'
  const rebind = (event: SubmitEvent) => {
    event.preventDefault()
    const wanted = identity.value.trim()
    void asked.run(async () => {
      await session.farm.rebindFarmhand({ playerId: farmhand.id, identity: wanted })
      rebound.value = wanted
    })
  }
  return (
    <DialogButton
      label={text.rebind}
      title={text.rebind}
      onClose={() => {
        rebound.value = undefined
        if (isUnsupported) onUnsupported()
      }}
    >
      {rebound.value === undefined ? (
        <form class="form" onSubmit={rebind}>
          <p>{text.rebindHint(farmhand.name)}</p>
          <Field
            label={text.identity}
            of={identity}
            required
            inputMode="numeric"
            pattern="\s*[0-9]{1,20}\s*"
          />
          <p class="quiet">{text.identityHint}</p>
          <Trouble error={asked.error.value} cure={isUnsupported ? text.cannotRebind : undefined} />
          <AskButton of={asked} class="main" disabled={isUnsupported}>
            {text.rebind}
          </AskButton>
        </form>
      ) : (
        <p role="status">{text.isRebound(farmhand.name, rebound.value)}</p>
      )}
    </DialogButton>
  )
}
