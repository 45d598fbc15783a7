/** A new farm in steps: which one, when and what then happens, and how far it is. */
import { type Signal, useSignal } from '@preact/signals'
import type { HostOperation, Save, Settings } from '../../../client/index.ts'
import { dateOf } from '../../parts/calendar-days.ts'
import { AskForm, Field as TextField } from '../../parts/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { number } from '../../texts/texts.ts'
import { FollowOperation } from '../server/follow-operation.tsx'
import { StoppingFields, stoppingBody, stoppingSteps, useStopping, WillHappen } from '../server/stopping.tsx'
import {
  allFields,
  type Field,
  type FieldName,
  patchOf,
  reportedValue,
  withTyped,
} from '../settings/fields.ts'
import { SettingField, shownValue } from '../settings/setting-field.tsx'
import { settingsTexts } from '../settings/texts.ts'
import { FarmKinds } from './farm-kinds.tsx'
import { newFarmTexts } from './texts.ts'
import '../settings/settings.css'
import './new-farm.css'

export interface NewFarmProps {
  readonly session: SignedIn
  /** The save that the game plays. */
  readonly active: Save | undefined
  readonly onDone: () => Promise<void>
}

export function NewFarm({ session, active, onDone }: NewFarmProps) {
  const { farm } = session
  const read = useLoaded((signal) => farm.settings({}, { signal }))
  const name = useSignal('')
  const typed = useSignal<ReadonlyMap<FieldName, string>>(new Map())
  const isChosen = useSignal(false)
  const begun = useSignal<HostOperation | undefined>(undefined)
  if (read.isBusy.value) return <div aria-busy="true" />
  if (begun.value !== undefined)
    return (
      <FollowOperation
        farm={farm}
        begun={begun.value}
        done={newFarmTexts.value.done(name.value)}
        onEnd={onDone}
      />
    )
  const draft = { name, typed, settings: read.value.value }
  return isChosen.value ? (
    <Begin session={session} active={active} draft={draft} isChosen={isChosen} begun={begun} />
  ) : (
    <Choose draft={draft} isChosen={isChosen} />
  )
}

interface Draft {
  readonly name: Signal<string>
  /** What was chosen, by the fields' names. */
  readonly typed: Signal<ReadonlyMap<FieldName, string>>
  /** Those that the farm has now; where they cannot be read, unchosen ones stay as they are in the file. */
  readonly settings: Settings | undefined
}

/** Next to its name. */
const asked = [
  'game.farmType',
  'game.startingCabins',
  'server.separateWallets',
  'game.profitMargin',
  'game.spawnMonstersAtNight',
] as const satisfies readonly FieldName[]
const fields: readonly Field[] = asked.flatMap((name) => allFields.filter((field) => field.name === name))
const [kindField, ...otherFields] = fields

/** The button of the step before is no longer there. */
const focusFirst = (step: HTMLElement | null): void => step?.querySelector('input')?.focus()

const reportedIn = ({ settings }: Draft, field: Field): string | undefined =>
  settings && reportedValue(settings, field)

const valueIn = (draft: Draft, field: Field): string | undefined =>
  draft.typed.value.get(field.name) ?? reportedIn(draft, field)

interface ChooseProps {
  readonly draft: Draft
  readonly isChosen: Signal<boolean>
}

/** The first step: which farm. */
function Choose({ draft, isChosen }: ChooseProps) {
  const text = newFarmTexts.value
  const { name, typed } = draft
  const change = (field: Field, value: string | undefined) => {
    typed.value = withTyped(typed.value, field, value, reportedIn(draft, field))
  }
  return (
    <form
      class="form"
      ref={focusFirst}
      onSubmit={(event) => {
        event.preventDefault()
        name.value = name.value.trim()
        isChosen.value = true
      }}
    >
      <p class="quiet">{text.step(number(1), number(2))}</p>
      <TextField
        label={settingsTexts.value.names['game.farmName'] ?? ''}
        of={name}
        required
        // Not only blanks.
        pattern=".*\S.*"
        maxLength={64}
      />
      {kindField !== undefined && (
        <FarmKinds
          field={kindField}
          reported={reportedIn(draft, kindField)}
          value={valueIn(draft, kindField)}
          onChange={(value) => change(kindField, value)}
        />
      )}
      <div class="fields">
        {otherFields.map((field) => (
          <SettingField
            key={field.name}
            field={field}
            reported={reportedIn(draft, field)}
            typed={typed.value.get(field.name)}
            onChange={(value) => change(field, value)}
          />
        ))}
      </div>
      <button type="submit" class="main">
        {text.next}
      </button>
    </form>
  )
}

interface BeginProps extends ChooseProps, Omit<NewFarmProps, 'onDone'> {
  readonly begun: Signal<HostOperation | undefined>
}

/** The second step: when, and what then happens to the present farm. */
function Begin({ session: { farm, live }, active, draft, isChosen, begun }: BeginProps) {
  const text = newFarmTexts.value
  const stopping = useStopping()
  const name = draft.name.value
  const values = fields.flatMap((field) => {
    const value = valueIn(draft, field)
    return value === undefined ? [] : [[field, value] as const]
  })
  const kind = kindField && valueIn(draft, kindField)
  const named = kindField && kind ? text.ofKind(name, shownValue(kindField, kind)) : name
  const begin = async () => {
    const { game, server } = patchOf(new Map(values.map(([field, value]) => [field.name, value])))
    const { operation } = await farm.startNewFarm({
      ...game,
      ...server,
      ...stoppingBody(stopping),
      farmName: name,
    })
    begun.value = operation
  }
  return (
    <div ref={focusFirst}>
      <div class="buttons">
        <p class="quiet">{text.step(number(2), number(2))}</p>
        <button
          type="button"
          class="bare with-icon"
          onClick={() => {
            isChosen.value = false
          }}
        >
          <Icon name="before" />
          {text.back}
        </button>
      </div>
      <AskForm ask={begin} label={text.begin}>
        <StoppingFields of={stopping} force={text.force} />
        <WillHappen
          steps={[
            ...stoppingSteps(stopping, live.players.value?.players.length ?? 0),
            ...(active === undefined || stopping.when.value === 'night' ? [] : [text.lost(active.farmName)]),
            ...(active === undefined ? [] : [text.stays(active.farmName)]),
            text.creates(named, dateOf(firstDay)),
            ...(active === undefined ? [] : [text.undone(active.farmName)]),
          ]}
        />
      </AskForm>
    </div>
  )
}

const firstDay = { season: 'spring', day: 1, year: 1 } as const
