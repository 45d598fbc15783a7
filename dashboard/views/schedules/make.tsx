/** Makes a schedule: the common ones without cron, any other with it. */
import { useSignal } from '@preact/signals'
import { daily, everyHours, wholeHours } from '../../../client/common-times.ts'
import type { ScheduledAction } from '../../../client/index.ts'
import { AskForm, Check, Choice, Field } from '../../parts/form.tsx'
import { noteStored } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { number } from '../../texts/texts.ts'
import { schedulesTexts } from './texts.ts'

interface MakeProps {
  readonly session: SignedIn
  readonly onMade: () => Promise<void>
}

const kinds = ['restart', 'backup', 'announce', 'custom'] as const
type Kind = (typeof kinds)[number]
/** Those that need `GAME_HOST`, and the others. */
export const ofHost: readonly ScheduledAction['action'][] = ['restart', 'start', 'stop']
const ofFarm: readonly ScheduledAction['action'][] = [
  'backup',
  'announce',
  'reload',
  'clock_speed',
  'rendering',
]
/** The value that an action takes: its member, and whether it is a number. */
const values: Partial<Record<ScheduledAction['action'], readonly [member: string, type: 'text' | 'number']>> =
  {
    announce: ['message', 'text'],
    clock_speed: ['multiplier', 'number'],
    rendering: ['fps', 'number'],
  }

/** Made once: there are more than 400. */
const zones = (
  <datalist id="zones">
    {Intl.supportedValuesOf('timeZone').map((one) => (
      <option key={one} value={one} />
    ))}
  </datalist>
)

export function MakeSchedule({ session, onMade }: MakeProps) {
  const text = schedulesTexts.value
  const kind = useSignal<Kind>(session.hasHost ? 'restart' : 'backup')
  const name = useSignal('')
  const at = useSignal('05:00')
  const every = useSignal(6)
  const cron = useSignal('0 5 * * *')
  const action = useSignal<ScheduledAction['action']>('announce')
  const value = useSignal('')
  const zone = useSignal(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const onlyWhenEmpty = useSignal(true)
  const isWarned = useSignal(true)
  const done = kind.value === 'custom' ? action.value : kind.value
  const taken = values[done]
  const usual = kind.value === 'custom' ? text.actions[done] : text.kinds[kind.value]
  const isOfGame = done === 'restart' || done === 'stop'
  const wish = () => {
    const [hour = 0, minute = 0] = at.value.split(':').map(Number)
    const given = taken?.[1] === 'number' ? Number(value.value) : value.value.trim()
    return {
      name: name.value.trim() || usual,
      cron:
        kind.value === 'custom'
          ? cron.value.trim()
          : kind.value === 'backup'
            ? everyHours(every.value)
            : daily(hour, minute),
      timeZone: zone.value.trim(),
      do: { action: done, ...(taken !== undefined && { [taken[0]]: given }) },
      onlyWhenEmpty: isOfGame && onlyWhenEmpty.value,
      warnMinutes: isOfGame && !onlyWhenEmpty.value && isWarned.value ? [10, 5, 1] : [],
    }
  }
  const make = async () => {
    noteStored(await session.farm.createSchedule(wish()))
    name.value = ''
    value.value = ''
    await onMade()
  }
  return (
    <AskForm class="card form" ask={make} label={text.make}>
      <h2>{text.make}</h2>
      <div class="pair">
        <Choice
          label={text.kind}
          among={kinds.filter((one) => one !== 'restart' || session.hasHost)}
          of={kind}
          texts={(one) => text.kinds[one]}
        />
        {kind.value === 'custom' && (
          <Choice
            label={text.what}
            among={session.hasHost ? [...ofHost, ...ofFarm] : ofFarm}
            of={action}
            texts={(one) => text.actions[one]}
          />
        )}
        {kind.value === 'custom' && (
          <Field label={text.cron} of={cron} required spellcheck={false} aria-describedby="cron-hint" />
        )}
        {kind.value === 'backup' && (
          <Choice
            label={text.every}
            among={wholeHours}
            of={every}
            texts={(one) => text.hours(one, number(one))}
          />
        )}
        {(kind.value === 'restart' || kind.value === 'announce') && (
          <Field label={text.at} of={at} type="time" required />
        )}
        {taken !== undefined && (
          <Field
            label={taken[1] === 'text' ? text.message : text.value}
            of={value}
            required
            {...(taken[1] === 'number' && { type: 'number', step: 'any', min: 0 })}
          />
        )}
        <Field label={text.zone} of={zone} required list="zones" aria-describedby="zone-hint" />
        <Field label={text.name} of={name} maxLength={64} placeholder={usual} />
      </div>
      {zones}
      {kind.value === 'custom' && (
        <p id="cron-hint" class="quiet">
          {text.cronHint}
        </p>
      )}
      <p id="zone-hint" class="quiet">
        {text.zoneHint}
      </p>
      {isOfGame && <Check label={text.empty} of={onlyWhenEmpty} />}
      {isOfGame && !onlyWhenEmpty.value && <Check label={text.warn} of={isWarned} />}
    </AskForm>
  )
}
