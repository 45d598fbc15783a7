/** The backups of the farm's save: which days can be restored; make, download, restore and delete one. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Backup } from '../../../client/index.ts'
import { Note, Trouble } from '../../parts/asked.tsx'
import { dayNumber, type GameDay } from '../../parts/calendar-days.ts'
import { WithHelp } from '../../parts/help.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { number, texts } from '../../texts/texts.ts'
import { Calendar } from './calendar.tsx'
import { BackupsList } from './list.tsx'
import { Safety } from './safety.tsx'
import { backupTexts } from './texts.ts'
import './backups.css'

/** How many backups have an off-site copy. */
function OffsiteCopies({ backups }: { readonly backups: readonly Backup[] }) {
  const text = backupTexts.value
  const countOf = (state: Backup['offsite']) => backups.filter(({ offsite }) => offsite === state).length
  const [done, pending, failed] = [countOf('done'), countOf('pending'), countOf('failed')]
  const isNowhere = done + pending + failed === 0
  return (
    <section class="card">
      <h2>{text.offsite}</h2>
      <p class="quiet">
        {isNowhere ? (
          <WithHelp text={text.onlyHere} />
        ) : (
          [text.copies(done, number(done)), pending > 0 && text.copiesWait(number(pending))]
            .filter((part) => part !== false)
            .join(' · ')
        )}
      </p>
      {failed > 0 && <Note what={text.copiesFailed(failed, number(failed))} cure={text.copiesFailedCure} />}
    </section>
  )
}

/** Milliseconds until the list is read again. */
const lookEvery = 10_000

export function BackupsView({ session }: { readonly session: SignedIn }) {
  const { farm, live } = session
  const kept = useLoaded((signal) => farm.backups({}, { signal }), lookEvery)
  const days = useLoaded(async (signal) => (await farm.historyDays({ limit: 2 }, { signal })).days)
  const chosen = useSignal<GameDay | undefined>(undefined)
  const status = live.status.value
  // A backup is made when a day begins, so the list is read again then.
  const today = status?.day
  useEffect(() => {
    if (kept.value.value === undefined) return
    void kept.again()
    void days.again()
  }, [today])
  const list = kept.value.value
  const ofDay = chosen.value
  return (
    <div class="view" aria-busy={kept.isBusy.value}>
      <h1>{texts.value.views.backups}</h1>
      <Trouble error={kept.error.value} again={() => void kept.again()} />
      {list !== undefined && (
        <>
          <Safety session={session} list={list} days={days.value.value ?? []} onMade={kept.again} />
          {list.backups.length > 0 && (
            <div class="column columns">
              <div class="column">
                <Calendar
                  backups={list.backups}
                  today={status}
                  chosen={ofDay}
                  onChoose={(day) => {
                    chosen.value = day
                  }}
                />
                <OffsiteCopies backups={list.backups} />
              </div>
              <BackupsList
                session={session}
                state={list.state}
                backups={
                  ofDay === undefined
                    ? list.backups
                    : list.backups.filter((backup) => dayNumber(backup) === dayNumber(ofDay))
                }
                ofDay={ofDay}
                onAll={() => {
                  chosen.value = undefined
                }}
                onChange={kept.again}
              />
            </div>
          )}
        </>
      )}
    </div>
  )
}
