/** The settings of the server, a form to change them, and when each change takes effect. */
import './settings.css'
import { useSignal } from '@preact/signals'
import type { Settings, SettingsChange } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { number, texts } from '../../texts/texts.ts'
import {
  allFields,
  type Field,
  type FieldName,
  patchOf,
  reportedValue,
  type Section,
  withTyped,
} from './fields.ts'
import { ReloadWorld } from './reload-world.tsx'
import { SettingField, shownValue } from './setting-field.tsx'
import { settingsTexts } from './texts.ts'

export function SettingsView({ session }: { readonly session: SignedIn }) {
  const text = settingsTexts.value
  const read = useLoaded((signal) => session.farm.settings({}, { signal }))
  const settings = read.value.value
  return (
    <div class="view" aria-busy={read.isBusy.value}>
      <h1>{texts.value.views.settings}</h1>
      <p class="quiet">{text.hint}</p>
      <Trouble error={read.error.value} again={() => void read.again()} />
      {settings !== undefined &&
        (allows(session, 'admin') ? (
          <SettingsForm session={session} settings={settings} onReloaded={read.again} />
        ) : (
          <SettingsList settings={settings} />
        ))}
    </div>
  )
}

/** For a key that may not change them: those that the server reports. */
function SettingsList({ settings }: { readonly settings: Settings }) {
  const text = settingsTexts.value
  return (
    <>
      {(['server', 'game'] as const).map((section) => (
        <section key={section} class="card">
          <h2>{text.sections[section][0]}</h2>
          <dl class="told">
            {allFields.map((field) => {
              const value = field.section === section ? reportedValue(settings, field) : undefined
              return (
                value !== undefined && (
                  <div key={field.name}>
                    <dt>{text.names[field.name]}</dt>
                    <dd dir="auto">{shownValue(field, value)}</dd>
                  </div>
                )
              )
            })}
          </dl>
        </section>
      ))}
      <p class="quiet">{text.mayNotChange}</p>
    </>
  )
}

interface FormProps {
  readonly session: SignedIn
  readonly settings: Settings
  readonly onReloaded: () => Promise<void>
}

function SettingsForm({ session, settings, onReloaded }: FormProps) {
  const text = settingsTexts.value
  const asked = useAsked()
  const typed = useSignal<ReadonlyMap<FieldName, string>>(new Map())
  const confirmed = useSignal<SettingsChange | undefined>(undefined)
  /** The file has these after a change, and the game perhaps not yet. */
  const current = confirmed.value?.settings ?? settings
  const change = (field: Field, value: string | undefined) => {
    typed.value = withTyped(typed.value, field, value, reportedValue(current, field))
  }
  const save = async (event?: SubmitEvent) => {
    event?.preventDefault()
    const patch = patchOf(typed.value)
    if (typed.value.size === 0) return
    await asked.run(async () => {
      confirmed.value = await session.farm.changeSettings(patch)
      typed.value = new Map()
    })
  }
  const isReported = (field: Field) => reportedValue(current, field) !== undefined
  const show = (section: Section, wanted: boolean) =>
    allFields
      .filter((field) => field.section === section && isReported(field) === wanted)
      .map((field) => (
        <SettingField
          key={field.name}
          field={field}
          reported={reportedValue(current, field)}
          typed={typed.value.get(field.name)}
          onChange={(value) => change(field, value)}
        />
      ))
  const changes = allFields.filter(({ name }) => typed.value.has(name))
  return (
    <form class="settings" onSubmit={(event) => void save(event)}>
      {(['server', 'game'] as const).map((section) => (
        <section key={section} class="card form">
          <h2>{text.sections[section][0]}</h2>
          <p class="quiet">{text.sections[section][1]}</p>
          <div class="fields">{show(section, true)}</div>
          <details class="opened">
            <summary>{text.more}</summary>
            <p class="quiet">{text.moreHint}</p>
            <div class="fields">{show(section, false)}</div>
          </details>
        </section>
      ))}
      {changes.length > 0 && (
        <section class="card form changes">
          <h2>{text.willChange}</h2>
          <ul>
            {changes.map((field) => (
              <li key={field.name}>
                {text.names[field.name]}:{' '}
                <bdi>
                  {text.fromTo(
                    reportedValue(current, field) === undefined
                      ? text.unknown
                      : shownValue(field, reportedValue(current, field) ?? ''),
                    shownValue(field, typed.value.get(field.name) ?? ''),
                  )}
                </bdi>
              </li>
            ))}
          </ul>
          <Trouble
            error={asked.error.value}
            cure={asked.error.value?.code === 'unsupported' ? text.noFile : undefined}
            // Only values typed here are written, so changes of others stay.
            again={asked.error.value?.code === 'settings_changed' ? () => void save() : undefined}
          />
          <div class="buttons">
            <AskButton of={asked} class="main">
              {asked.isBusy.value ? text.saving : text.save(changes.length, number(changes.length))}
            </AskButton>
            <button
              type="button"
              onClick={() => {
                typed.value = new Map()
              }}
            >
              {text.undo}
            </button>
          </div>
        </section>
      )}
      <div role="status" class="saved-now">
        {confirmed.value !== undefined && <Confirmed change={confirmed.value} />}
      </div>
      {confirmed.value?.changed.some(({ takesEffect }) => takesEffect === 'reload') === true && (
        <ReloadWorld
          session={session}
          onDone={async () => {
            await onReloaded()
            confirmed.value = undefined
          }}
        />
      )}
    </form>
  )
}

function Confirmed({ change: { changed, settings } }: { readonly change: SettingsChange }) {
  const text = settingsTexts.value
  if (changed.length === 0) return <p class="confirmed">{text.nothing}</p>
  return (
    <div class="confirmed">
      <p>{text.saved}</p>
      <ul>
        {changed.map(({ setting, takesEffect }) => {
          const field = allFields.find(({ name }) => name === setting)
          const value = field === undefined ? undefined : reportedValue(settings, field)
          return (
            <li key={setting}>
              <strong>{field === undefined ? setting : text.names[field.name]}</strong>
              {field !== undefined && value !== undefined && <bdi>: {shownValue(field, value)}</bdi>}
              {' – '}
              {text.effects[takesEffect]}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
