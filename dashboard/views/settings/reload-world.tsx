/** Reloads the world, after a description of the effect. */
import { useSignal } from '@preact/signals'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { DialogButton } from '../../parts/dialog.tsx'
import type { SignedIn } from '../../session/session.ts'
import { settingsTexts } from './texts.ts'

export interface ReloadWorldProps {
  readonly session: SignedIn
  readonly onDone: () => Promise<void>
}

export function ReloadWorld({ session, onDone }: ReloadWorldProps) {
  const text = settingsTexts.value
  const asked = useAsked('game')
  const isDone = useSignal(false)
  const reload = async () => {
    isDone.value = await asked.run(() => session.farm.reloadWorld())
  }
  return (
    <DialogButton
      label={text.reload}
      title={text.reload}
      onClose={() => {
        if (isDone.value) void onDone()
      }}
    >
      <div class="form">
        <p role="status">
          {isDone.value ? text.reloaded : asked.isBusy.value ? text.reloading : text.reloadHint}
        </p>
        <Trouble error={asked.error.value} />
        {!isDone.value && (
          <AskButton of={asked} class="main" onClick={() => void reload()}>
            {text.reload}
          </AskButton>
        )}
      </div>
    </DialogButton>
  )
}
