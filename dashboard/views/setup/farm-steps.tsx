/** The steps after the download: start, settings, invite code. They need a key. */
import { useSignal } from '@preact/signals'
import type { SettingsChange } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { SignIn } from '../../parts/sign-in.tsx'
import { setSetup } from '../../session/person.ts'
import { openKept, type SignedIn, session, signIn, signOut } from '../../session/session.ts'
import { Saves } from '../backups/saves.tsx'
import { Invite } from '../farm/farm.tsx'
import { allFields, type FieldName, patchOf, reportedValue, withTyped } from '../settings/fields.ts'
import { ReloadWorld } from '../settings/reload-world.tsx'
import { SettingField } from '../settings/setting-field.tsx'
import { setupTexts } from './texts.ts'

/** The settings of a new farm; all others are in the view of the settings. */
const asked = new Set<FieldName>([
  'game.farmName',
  'game.farmType',
  'game.startingCabins',
  'server.cabinStrategy',
  'server.maxPlayers',
])
const fields = allFields.filter(({ name }) => asked.has(name))

/** Milliseconds between two looks at a game that is starting. */
const lookEvery = 3000

export function FarmSteps() {
  const text = setupTexts.value
  const now = session.value
  if (now.phase !== 'signed-in')
    return now.phase === 'starting' ? (
      <section class="card" aria-busy="true">
        <p role="status">{text.noAnswer}</p>
      </section>
    ) : (
      <SignIn hint={text.keyHint} refused={now.refused} signIn={signIn} again={openKept} signOut={signOut} />
    )
  return (
    <>
      <Start session={now} />
      <BringFarm session={now} />
      <FarmSettings session={now} />
      <Invite status={now.live.status.value} />
      <button type="button" class="main" onClick={() => setSetup(undefined)}>
        {text.toFarm}
      </button>
    </>
  )
}

interface StepProps {
  readonly session: SignedIn
}

function Start({ session }: StepProps) {
  const text = setupTexts.value
  const starting = useAsked()
  const host = useLoaded(
    async (signal) => (session.hasHost ? session.farm.host({}, { signal }) : undefined),
    session.hasHost ? lookEvery : 0,
  )
  const isRunning = session.live.status.value?.isOnline === true && !session.live.isOffline.value
  const isStopped = ['stopped', 'crashed'].includes(host.value.value?.state ?? '')
  const start = () =>
    void starting.run(async () => {
      await session.farm.startGame({})
      await host.again()
    })
  return (
    <section class="card form">
      <h2>{text.start}</h2>
      <p role="status">{isRunning ? text.running : isStopped ? text.stopped : text.startsItself}</p>
      {!isRunning && isStopped && (
        <AskButton of={starting} class="main" onClick={start}>
          {text.startNow}
        </AskButton>
      )}
      <Trouble error={starting.error.value} />
    </section>
  )
}

/** Where farmgate can add a save: one from a player's computer is added and loaded, which asks who played its host. */
function BringFarm({ session }: StepProps) {
  const read = useLoaded(async (signal) => (await session.farm.backups({}, { signal })).state.saves)
  if (read.value.value !== 'mounted') return null
  return (
    <>
      <p>{setupTexts.value.bring}</p>
      <Saves session={session} mayAdd={true} />
    </>
  )
}

function FarmSettings({ session }: StepProps) {
  const text = setupTexts.value
  const { farm } = session
  const read = useLoaded((signal) => farm.settings({}, { signal }), lookEvery)
  const password = useLoaded((signal) => farm.passwordProtection({}, { signal }))
  const saving = useAsked()
  const creating = useAsked('game')
  const typed = useSignal<ReadonlyMap<FieldName, string>>(new Map())
  const change = useSignal<SettingsChange | undefined>(undefined)
  const isNew = useSignal(false)
  const settings = change.value?.settings ?? read.value.value
  const takesEffect = (when: string) => change.value?.changed.some((one) => one.takesEffect === when) === true
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    void saving.run(async () => {
      change.value = await farm.changeSettings(patchOf(typed.value))
      typed.value = new Map()
      isNew.value = false
    })
  }
  const create = async () => {
    isNew.value = await creating.run(() => farm.createNewGame({}))
  }
  return (
    <form class="card form" onSubmit={save}>
      <h2>{text.settings}</h2>
      {settings === undefined ? (
        <p role="status">{text.settingsLater}</p>
      ) : (
        <>
          <div class="fields">
            {fields.map((field) => (
              <SettingField
                key={field.name}
                field={field}
                reported={reportedValue(settings, field)}
                typed={typed.value.get(field.name)}
                onChange={(value) => {
                  typed.value = withTyped(typed.value, field, value, reportedValue(settings, field))
                }}
              />
            ))}
          </div>
          {password.value.value !== undefined && (
            <p class="quiet">{password.value.value.enabled ? text.hasPassword : text.noPassword}</p>
          )}
          <Trouble error={saving.error.value} />
          <button type="submit" class="main" aria-disabled={saving.mustWait.value || typed.value.size === 0}>
            {text.save}
          </button>
          <p role="status">{change.value !== undefined && (isNew.value ? text.created : text.saved)}</p>
          {takesEffect('new_game') && !isNew.value && (
            <>
              <p>{text.createHint}</p>
              <Trouble error={creating.error.value} />
              <AskButton of={creating} class="danger" onClick={() => void create()}>
                {creating.isBusy.value ? text.creating : text.create}
              </AskButton>
            </>
          )}
          {takesEffect('reload') && !takesEffect('new_game') && (
            <ReloadWorld
              session={session}
              onDone={async () => {
                change.value = undefined
                await read.again()
              }}
            />
          )}
        </>
      )}
    </form>
  )
}
