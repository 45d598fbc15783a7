import { useSignal } from '@preact/signals'
import type { HostOperation } from '../../../client/index.ts'
import { useAsked } from '../../parts/asked.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Choice, Field } from '../../parts/fields.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session/session.ts'
import { number, numbers } from '../../texts/texts.ts'
import { serverTexts } from './texts.ts'

interface ActProps {
  readonly session: SignedIn
  readonly action: HostOperation['action']
  readonly onChange: () => Promise<void>
}

const whens: readonly HostOperation['when'][] = ['now', 'empty', 'night']
/** Minutes before the stop at which players can be warned. */
const warnings = ['10,5,1', '5,1', '1', '']
const minutesOf = (text: string) => text.split(',').filter(Boolean).map(Number)

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
  const when = useSignal<HostOperation['when']>('now')
  const warn = useSignal('10,5,1')
  const backup = useSignal(true)
  const force = useSignal(false)
  const reason = useSignal('')
  const asked = useAsked()
  const stops = action !== 'start'
  const online = live.players.value?.players.length ?? 0
  // With no one connected, none is warned.
  const isWarned = stops && online > 0 && when.value !== 'empty' && warn.value !== ''
  const will = [
    ...(stops && when.value !== 'now' ? [text.will[when.value]] : []),
    ...(isWarned ? [text.will.warn(minutesText(warn.value))] : []),
    ...(stops && backup.value ? [text.will.backup] : []),
    ...(stops
      ? [when.value === 'empty' || online === 0 ? text.will.stop : text.will.kicked(online, number(online))]
      : []),
    ...(action === 'stop' ? [] : [text.will.start]),
  ]
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const why = reason.value.trim()
    const wish = {
      when: when.value,
      warnMinutes: minutesOf(warn.value),
      backup: backup.value,
      force: force.value,
      ...(why !== '' && { reason: why }),
    }
    void asked.run(async () => {
      if (action === 'start') await farm.startGame(why === '' ? {} : { reason: why })
      else await (action === 'stop' ? farm.stopGame : farm.restartGame)(wish)
      await onChange()
    })
  }
  return (
    <form class="form" onSubmit={submit}>
      {stops && (
        <>
          <fieldset>
            <legend>{text.when}</legend>
            {whens.map((one) => (
              <label key={one} class="check">
                <input
                  type="radio"
                  name="when"
                  checked={when.value === one}
                  onChange={() => {
                    when.value = one
                  }}
                />
                <span>{text.whens[one]}</span>
              </label>
            ))}
          </fieldset>
          <Choice label={text.warn} among={warnings} of={warn} texts={minutesText} />
          <Check label={text.backup} of={backup} />
          <Check label={text.force} of={force} />
        </>
      )}
      <section class="will-happen" aria-live="polite">
        <h2>{text.willHappen}</h2>
        <ol>
          {will.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
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

function minutesText(list: string): string {
  const { noWarning, warnings: text } = serverTexts.value
  const minutes = minutesOf(list)
  return minutes.length === 0 ? noWarning : text(numbers(minutes), minutes[0] ?? 0)
}
