import { useSignal } from '@preact/signals'
import { useAsked } from '../../parts/asked.ts'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Field } from '../../parts/fields.tsx'
import { PlayerName } from '../../parts/player-name.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { FarmhandProps } from './make-admin.tsx'
import { peopleTexts } from './texts.ts'

export interface DeleteProps extends FarmhandProps {
  readonly isOnline: boolean
  readonly onDone: () => Promise<void>
}

/** Deletes only after the name was typed: it cannot be undone. */
export function DeleteFarmhand({ session, farmhand, isOnline, onDone }: DeleteProps) {
  const text = peopleTexts.value
  const typed = useSignal('')
  const asked = useAsked('game')
  const isSame = typed.value.trim() === farmhand.name.trim()
  const remove = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!isSame || isOnline) return
    const isDone = await asked.run(async () => {
      await session.farm.deleteFarmhand({ playerId: farmhand.id })
    })
    if (isDone) await onDone()
  }
  return (
    <DialogButton
      label={text.remove}
      title={text.removeTitle}
      look="danger"
      disabled={isOnline}
      hint={isOnline ? text.notWhileOnline : undefined}
    >
      <form class="form" onSubmit={(event) => void remove(event)}>
        <p>
          <PlayerName name={farmhand.name} />
        </p>
        <p>{text.removeHint}</p>
        <Field label={text.typeName} of={typed} />
        {isOnline && <p role="status">{text.notWhileOnline}</p>}
        <Trouble error={asked.error.value} />
        <button
          type="submit"
          class="danger"
          disabled={!isSame || isOnline}
          aria-disabled={asked.mustWait.value}
        >
          {text.remove}
        </button>
      </form>
    </DialogButton>
  )
}
