/** The saves in the game's folder: the one that it plays, and others that it can load. */

import { Note, Trouble } from '../../parts/asked.tsx'
import { dateOf } from '../../parts/calendar-days.ts'
import { Fold } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { type Answer, allows, type SignedIn } from '../../session/session.ts'
import { AddSave } from './add-save.tsx'
import { LoadSave } from './load-save.tsx'
import { SaveFacts } from './save-facts.tsx'
import { backupTexts } from './texts.ts'

interface SavesProps {
  readonly session: SignedIn
  /** Whether farmgate may write to the folder. */
  readonly mayAdd: boolean
}

export function Saves({ session, mayAdd }: SavesProps) {
  const text = backupTexts.value
  const { farm } = session
  const read = useLoaded((signal) => farm.saves({}, { signal }))
  const { saves, next } = read.value.value ?? {}
  // A farm of an earlier release does not know the path.
  if (read.error.value?.code === 'not_found') return null
  const active = saves?.find((save) => save.active)
  const isAdmin = allows(session, 'admin')
  return (
    <section class="card" aria-busy={read.isBusy.value}>
      <header>
        <h2>{text.saves}</h2>
        {isAdmin && mayAdd && saves !== undefined && (
          <AddSave session={session} saves={saves} onAdded={read.again} />
        )}
      </header>
      <Trouble error={read.error.value} again={() => void read.again()} />
      {next !== undefined && <NextStart next={next} hasSaves={saves?.length !== 0} />}
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

interface NextStartProps {
  readonly next: Answer<'saves'>['next']
  readonly hasSaves: boolean
}

/** What the next start of the game does, where it does not simply load a save. */
function NextStart({ next: { state, name = '', save = '' }, hasSaves }: NextStartProps) {
  const text = backupTexts.value
  if (state === 'ok' || state === 'unknown' || (state === 'none' && !hasSaves)) return null
  if (state === 'repairable') return <p class="quiet">{text.nextRepaired(name, save)}</p>
  return <Note what={state === 'none' ? text.nextNone : text.nextMissing(name)} cure={text.nextCure} />
}
