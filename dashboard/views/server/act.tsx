import { useSignal } from '@preact/signals'
import type { HostOperation } from '../../../client/index.ts'
import { useAsked } from '../../parts/asked.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/fields.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session/session.ts'
import { StoppingFields, stoppingBody, stoppingSteps, useStopping, WillHappen } from './stopping.tsx'
import { serverTexts } from './texts.ts'

interface ActProps {
  readonly session: SignedIn
  readonly action: HostOperation['action']
  readonly onChange: () => Promise<void>
}

/** A button that opens a dialog, which shows what will happen and when, and begins it. */
export function Act({ session, action, onChange }: ActProps) {
  const text = serverTexts.value
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  return (
    <>
      <button
        type="button"
        class={action === 'stop' ? 'danger' : 'main'}
        onClick={() => {
          isOpen.value = true
        }}
      >
        {text.actions[action]}…
      </button>
      {isOpen.value && (
        <Dialog title={text.titles[action]} onClose={close}>
          <ActForm session={session} action={action} onChange={() => onChange().then(close)} />
        </Dialog>
      )}
    </>
  )
}

function ActForm({ session, action, onChange }: ActProps) {
  const text = serverTexts.value
  const { farm, live } = session
  const stopping = useStopping()
  const reason = useSignal('')
  const asked = useAsked()
  const stops = action !== 'start'
  const online = live.players.value?.players.length ?? 0
  const steps = [
    ...(stops ? stoppingSteps(stopping, online) : []),
    ...(action === 'stop' ? [] : [text.will.start]),
  ]
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const why = reason.value.trim()
    const wish = { ...stoppingBody(stopping), ...(why !== '' && { reason: why }) }
    void asked.run(async () => {
      if (action === 'start') await farm.startGame(why === '' ? {} : { reason: why })
      else await (action === 'stop' ? farm.stopGame : farm.restartGame)(wish)
      await onChange()
    })
  }
  return (
    <form class="form" onSubmit={submit}>
      {stops && <StoppingFields of={stopping} />}
      <WillHappen steps={steps} />
      <Field label={text.reason} of={reason} maxLength={200} aria-describedby="reason-hint" />
      <p id="reason-hint" class="quiet">
        {text.reasonHint}
      </p>
      <Trouble error={asked.error.value} />
      <button
        type="submit"
        class={action === 'stop' ? 'danger' : 'main'}
        aria-disabled={asked.mustWait.value}
      >
        {text.actions[action]}
      </button>
    </form>
  )
}
