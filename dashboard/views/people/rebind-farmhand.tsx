/** Gives a farmhand to the account of another join path. */
import { useSignal } from '@preact/signals'
import { AskButton } from '../../parts/ask-button.tsx'
import { useAsked } from '../../parts/asked.ts'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Field } from '../../parts/fields.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { FarmhandProps } from './make-admin.tsx'
import { peopleTexts } from './texts.ts'

export interface RebindProps extends FarmhandProps {
  /** Called when the game server does not support it, so that it is not offered again. */
  readonly onUnsupported: () => void
}

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
