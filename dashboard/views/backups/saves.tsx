/** The saves in the game's folder: the one that it plays, and others that it can load. */

import { useEffect } from 'preact/hooks'
import type { Status } from '../../../client/index.ts'
import { Note, Trouble } from '../../parts/asked.tsx'
import { dateOf } from '../../parts/calendar-days.ts'
import { DialogButton } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { WithHelp } from '../../parts/help.tsx'
import { Icon } from '../../parts/icon.tsx'
import { later } from '../../parts/later.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { type Answer, allows, type SignedIn } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import { NotSetUp } from '../not-set-up.tsx'
import { AddSave } from './add-save.tsx'
import { LoadSave } from './load-save.tsx'
import { SaveFacts } from './save-facts.tsx'
import { backupTexts } from './texts.ts'
import './backups.css'

const NewFarm = later(async () => (await import('../new-farm/new-farm.tsx')).NewFarm)

export function SavesView({ session }: { readonly session: SignedIn }) {
  const state = useLoaded(async (signal) => (await session.farm.backups({}, { signal })).state.saves)
  const { value } = state.value
  if (value === 'absent' && allows(session, 'admin')) return <NotSetUp view="saves" />
  return (
    <div class="view" aria-busy={state.isBusy.value}>
      <h1>{texts.value.views.saves}</h1>
      <Trouble error={state.error.value} again={() => void state.again()} />
      {value === 'absent' && <p class="quiet">{backupTexts.value.noSaves}</p>}
      {value !== undefined && value !== 'absent' && <Saves session={session} mayAdd={value === 'mounted'} />}
    </div>
  )
}

interface SavesProps {
  readonly session: SignedIn
  /** Whether farmgate may write to the folder. */
  readonly mayAdd: boolean
}

export function Saves({ session, mayAdd }: SavesProps) {
  const text = backupTexts.value
  const { farm, live } = session
  const read = useLoaded(
    (signal) => farm.saves({}, { signal }),
    (last) => (last === undefined || isSettled(last.next) ? 0 : lookEvery),
  )
  // The game writes a save when a day begins, and plays another one under another name.
  const { farmName, day } = live.status.value ?? {}
  useEffect(() => {
    if (read.value.value !== undefined) void read.again()
  }, [farmName, day])
  const { saves } = read.value.value ?? {}
  // A farm of an earlier release does not know the path.
  if (read.error.value?.code === 'not_found') return null
  const active = saves?.find((save) => save.active)
  const isAdmin = allows(session, 'admin')
  const missing = [...(mayAdd ? [] : ['SAVES_ACCESS=rw']), ...(session.hasHost ? [] : ['GAME_HOST'])]
  return (
    <section class="card saves" aria-busy={read.isBusy.value}>
      <header>
        <h2>{text.saves}</h2>
        {isAdmin && saves !== undefined && (
          <div class="buttons">
            {mayAdd && <AddSave session={session} saves={saves} onAdded={read.again} />}
            <DialogButton label={text.newFarm} title={text.newFarmTitle}>
              {missing.length === 0 ? (
                <NewFarm session={session} active={active} onDone={read.again} />
              ) : (
                <p>
                  <WithHelp text={text.newFarmNeeds(missing.join(', '))} />
                </p>
              )}
            </DialogButton>
          </div>
        )}
      </header>
      <Trouble error={read.error.value} again={() => void read.again()} />
      {read.value.value !== undefined && <NextStart of={read.value.value} status={live.status.value} />}
      {saves?.length === 0 && <p class="quiet">{text.noSave}</p>}
      <ul>
        {saves?.map((save) => (
          <Fold
            key={save.name}
            state={save.active ? 'done' : 'unknown'}
            summary={
              <>
                <Icon name={save.active ? 'check' : 'farm'} />
                <span class="what">
                  <bdi>{save.farmName}</bdi>
                  <span class="quiet">{dateOf(save)}</span>
                </span>
                {save.active && <span class="tag">{text.active}</span>}
              </>
            }
          >
            <SaveFacts save={save} />
            {isAdmin && !save.active && (
              <LoadSave session={session} save={save} active={active} onDone={read.again} />
            )}
          </Fold>
        ))}
      </ul>
    </section>
  )
}

type Read = Answer<'saves'>

/** Milliseconds between two looks while the next start does not simply load a save. */
const lookEvery = 10_000

const isSettled = ({ state }: Read['next']): boolean => state === 'ok' || state === 'unknown'

interface NextStartProps {
  readonly of: Read
  readonly status: Status | undefined
}

/** What the next start of the game does, where it does not simply load a save. */
function NextStart({ of: { saves, next }, status }: NextStartProps) {
  const text = backupTexts.value
  const { state, name = '', save = '' } = next
  if (isSettled(next) || (state === 'none' && saves.length === 0)) return null
  if (state === 'repairable') return <p class="quiet">{text.nextRepaired(name, save)}</p>
  if (isUnsaved(saves, status)) return <p class="quiet">{text.nextUnsaved(status.farmName)}</p>
  return <Note what={state === 'none' ? text.nextNone : text.nextMissing(name)} cure={text.nextCure} />
}

/** The game plays a new farm, whose save is made in its first night. */
const isUnsaved = (saves: Read['saves'], status: Status | undefined): status is Status =>
  status?.isOnline === true &&
  status.season === 'spring' &&
  status.day === 1 &&
  status.year === 1 &&
  !saves.some(({ active }) => active)
