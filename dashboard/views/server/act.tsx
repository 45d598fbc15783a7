import { useSignal } from '@preact/signals'
import type { HostOperation } from '../../../client/index.ts'
import { AskForm } from '../../parts/ask-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Field } from '../../parts/fields.tsx'
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
  const { actions, titles } = serverTexts.value
  return (
    <DialogButton label={`${actions[action]}…`} title={titles[action]} look={lookOf(action)}>
      {(close) => <ActForm session={session} action={action} onChange={() => onChange().then(close)} />}
    </DialogButton>
  )
}

const lookOf = (action: HostOperation['action']) => (action === 'stop' ? 'danger' : 'main')

function ActForm({ session, action, onChange }: ActProps) {
  const text = serverTexts.value
  const { farm, live } = session
  const stopping = useStopping()
  const reason = useSignal('')
  const stops = action !== 'start'
  const online = live.players.value?.players.length ?? 0
  const steps = [
    ...(stops ? stoppingSteps(stopping, online) : []),
    ...(action === 'stop' ? [] : [text.will.start]),
  ]
  const begin = async () => {
    const why = reason.value.trim()
    await farm[`${action}Game`]({ ...(stops && stoppingBody(stopping)), ...(why !== '' && { reason: why }) })
    await onChange()
  }
  return (
    <AskForm ask={begin} label={text.actions[action]} look={lookOf(action)}>
      {stops && <StoppingFields of={stopping} />}
      <WillHappen steps={steps} />
      <Field label={text.reason} of={reason} maxLength={200} aria-describedby="reason-hint" />
      <p id="reason-hint" class="quiet">
        {text.reasonHint}
      </p>
    </AskForm>
  )
}
