/** How the game is stopped: when, with which warnings, and what then happens; for one farm and for many. */
import { type Signal, useSignal } from '@preact/signals'
import type { HostOperation } from '../../../client/index.ts'
import { Check, Choice } from '../../parts/form.tsx'
import { number, numbers } from '../../texts/texts.ts'
import { serverTexts } from './texts.ts'

export interface Stopping {
  readonly when: Signal<HostOperation['when']>
  /** Minutes before the stop at which players are warned, such as `10,5,1`. */
  readonly warn: Signal<string>
  readonly backup: Signal<boolean>
  readonly force: Signal<boolean>
}

export const useStopping = (): Stopping => ({
  when: useSignal<HostOperation['when']>('now'),
  warn: useSignal('10,5,1'),
  backup: useSignal(true),
  force: useSignal(false),
})

const whens: readonly HostOperation['when'][] = ['now', 'empty', 'night']
const warnings = ['10,5,1', '5,1', '1', '']
const minutesOf = (text: string) => text.split(',').filter(Boolean).map(Number)

function minutesText(list: string): string {
  const { noWarning, warnings: text } = serverTexts.value
  const minutes = minutesOf(list)
  return minutes.length === 0 ? noWarning : text(numbers(minutes), minutes[0] ?? 0)
}

/** The body of the request. */
export const stoppingBody = ({ when, warn, backup, force }: Stopping) => ({
  when: when.value,
  warnMinutes: minutesOf(warn.value),
  backup: backup.value,
  force: force.value,
})

/** What will happen until the game has stopped. @param online connected players */
export function stoppingSteps({ when, warn, backup }: Stopping, online: number): readonly string[] {
  const { will } = serverTexts.value
  // With no one connected, none is warned.
  const isWarned = online > 0 && when.value !== 'empty' && warn.value !== ''
  return [
    ...(when.value === 'now' ? [] : [will[when.value]]),
    ...(isWarned ? [will.warn(minutesText(warn.value))] : []),
    ...(backup.value ? [will.backup] : []),
    when.value === 'empty' || online === 0 ? will.stop : will.kicked(online, number(online)),
  ]
}

interface StoppingFieldsProps {
  readonly of: Stopping
  /** In spite of what it goes ahead, where that is less than for a restart. */
  readonly force?: string
}

export function StoppingFields({ of, force = serverTexts.value.force }: StoppingFieldsProps) {
  const text = serverTexts.value
  return (
    <>
      <fieldset>
        <legend>{text.when}</legend>
        {whens.map((one) => (
          <label key={one} class="check">
            <input
              type="radio"
              name="when"
              checked={of.when.value === one}
              onChange={() => {
                of.when.value = one
              }}
            />
            <span>{text.whens[one]}</span>
          </label>
        ))}
      </fieldset>
      <Choice label={text.warn} among={warnings} of={of.warn} texts={minutesText} />
      <Check label={text.backup} of={of.backup} />
      <Check label={force} of={of.force} />
    </>
  )
}

export const WillHappen = ({ steps }: { readonly steps: readonly string[] }) => (
  <section class="will-happen" aria-live="polite">
    <h2>{serverTexts.value.willHappen}</h2>
    <ol>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  </section>
)
