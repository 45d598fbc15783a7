import { useSignal } from '@preact/signals'
import { AskForm } from '../../parts/ask-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Field } from '../../parts/fields.tsx'
import { PlayerName } from '../../parts/player-name.tsx'
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
