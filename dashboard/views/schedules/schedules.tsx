/** What farmgate does at set times: the schedules with their next and last runs, and a form that makes one. */

import { everyHours, wholeHours } from '../../../client/common-times.ts'
import type { Schedule } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { Facts, Fold } from '../../parts/fold.tsx'
import { ConfirmButton } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { addressOf } from '../../parts/route.ts'
import { noteStored, StoredInMemory } from '../../parts/stored-in-memory.tsx'
import { allows, type SignedIn } from '../../session/session.ts'
import { dateTime, dateTimeIn, gameClock, moment, number, numbers, texts } from '../../texts/texts.ts'
import { MakeSchedule, ofHost } from './make.tsx'
import { schedulesTexts } from './texts.ts'

/** Milliseconds between two looks. */
const lookEvery = 10_000

export function SchedulesView({ session }: { readonly session: SignedIn }) {
  const text = schedulesTexts.value
  const all = useLoaded(async (signal) => (await session.farm.schedules({}, { signal })).schedules, lookEvery)
  const isAdmin = allows(session, 'admin')
  return (
    <div class="view" aria-busy={all.isBusy.value}>
      <h1>{texts.value.views.schedules}</h1>
      <StoredInMemory />
      <Trouble error={all.error.value} again={() => void all.again()} />
      {all.value.value !== undefined && (
        <section class="card">
          <p class="quiet">{text.hint}</p>
          {all.value.value.length === 0 && <p>{text.none}</p>}
          <ul>
            {all.value.value.map((one) => (
              <OneSchedule key={one.id} session={session} schedule={one} onChange={all.again} />
            ))}
          </ul>
        </section>
      )}
      {isAdmin && all.value.value !== undefined && <MakeSchedule session={session} onMade={all.again} />}
    </div>
  )
}

/** When it runs, in texts where its expression is a common one. */
function whenTexts({ cron }: Schedule): string {
  const text = schedulesTexts.value
  const hours = wholeHours.find((one) => everyHours(one) === cron)
  if (hours !== undefined) return text.everyHours(hours, number(hours))
  const [, minute, hour] = /^(\d+) (\d+) \* \* \*$/.exec(cron) ?? []
  return hour === undefined ? cron : text.daily(gameClock(Number(hour) * 100 + Number(minute)))
}

interface OneProps {
  readonly session: SignedIn
  readonly schedule: Schedule
  readonly onChange: () => Promise<void>
}

function OneSchedule({ session, schedule, onChange }: OneProps) {
  const text = schedulesTexts.value
  const { id, name, do: deed, timeZone, enabled, nextAt, last, disabledBecause } = schedule
  const { action, ...sent } = deed
  const asked = useAsked()
  const change = (ask: () => Promise<unknown>) => void asked.run(ask).then(onChange)
  const isHere = timeZone === Intl.DateTimeFormat().resolvedOptions().timeZone
  // The Process view shows how the operation ended.
  const hasBegun = last?.outcome === 'succeeded' && ofHost.includes(action)
  const outcome = hasBegun ? text.begun : last && text.outcomes[last.outcome]
  const given = Object.values(sent).map(String).join(' · ')
  return (
    <Fold
      state={
        !enabled || last?.outcome === 'missed' ? 'unknown' : last?.outcome === 'failed' ? 'failed' : 'done'
      }
      summary={
        <>
          <span class="what">
            <bdi>{name}</bdi>
            <span class="quiet">
              {[
                text.actions[action],
                isHere ? whenTexts(schedule) : text.inZone(whenTexts(schedule), timeZone),
                ...(nextAt !== null
                  ? [text.nextIn(isHere ? moment(nextAt) : dateTimeIn(nextAt, timeZone))]
                  : []),
              ].join(' · ')}
            </span>
          </span>
          <span class="tag">{!enabled ? text.off : (outcome ?? text.on)}</span>
        </>
      }
    >
      {disabledBecause !== undefined && (
        <p class="trouble">
          {disabledBecause} {text.disabledCure}
        </p>
      )}
      <Facts
        of={[
          [text.what, given === '' ? text.actions[action] : `${text.actions[action]}: ${given}`],
          [
            text.when,
            [
              text.inZone(whenTexts(schedule), timeZone),
              ...(schedule.onlyWhenEmpty ? [text.onlyWhenEmpty] : []),
              ...(schedule.warnMinutes.length > 0 ? [text.warned(numbers(schedule.warnMinutes))] : []),
            ].join(' · '),
          ],
          nextAt === null
            ? undefined
            : [
                text.next,
                isHere ? (
                  dateTime(nextAt)
                ) : (
                  <>
                    {text.inZone(dateTimeIn(nextAt, timeZone), timeZone)}
                    <br />
                    {text.yourTime(dateTime(nextAt))}
                  </>
                ),
              ],
          [
            text.last,
            last === undefined ? (
              text.neverRan
            ) : (
              <>
                {dateTime(last.at)} · {outcome}
                {(hasBegun || last.detail !== undefined) && ' · '}
                {hasBegun ? <a href={addressOf('server')}>{text.itsEnd}</a> : last.detail}
              </>
            ),
          ],
        ]}
      />
      <Trouble error={asked.error.value} />
      {allows(session, 'admin') && (
        <div class="buttons">
          <AskButton of={asked} onClick={() => change(() => session.farm.runSchedule({ id }))}>
            {text.run}
          </AskButton>
          <AskButton
            of={asked}
            onClick={() =>
              change(() => session.farm.changeSchedule({ id, enabled: !enabled }).then(noteStored))
            }
          >
            {enabled ? text.disable : text.enable}
          </AskButton>
          <ConfirmButton
            label={text.remove}
            title={text.removeTitle}
            confirm={text.removeDo}
            ask={() => session.farm.deleteSchedule({ id }).then(noteStored)}
            onDone={onChange}
          >
            <p>
              <bdi>{name}</bdi>
            </p>
            <p>{text.removeHint}</p>
          </ConfirmButton>
        </div>
      )}
    </Fold>
  )
}
