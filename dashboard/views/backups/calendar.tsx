/** A season as in the game's own calendar: four weeks of seven days, and which of them can be restored. */
import { useSignal } from '@preact/signals'
import type { Backup, Status } from '../../../client/index.ts'
import {
  dateOf,
  dayNumber,
  daysOfSeason,
  type GameDay,
  seasonAt,
  seasonNumber,
} from '../../parts/calendar-days.ts'
import { Icon } from '../../parts/icon.tsx'
import { isSeason } from '../../session/status.ts'
import { number, texts, weekdays } from '../../texts/texts.ts'
import { backupTexts } from './texts.ts'

interface CalendarProps {
  readonly backups: readonly Backup[]
  readonly today: Status | undefined
  readonly chosen: GameDay | undefined
  readonly onChoose: (day: GameDay) => void
}

const daysOfWeek = 7
const weeks = Array.from({ length: daysOfSeason / daysOfWeek }, (_, week) =>
  Array.from({ length: daysOfWeek }, (_, day) => week * daysOfWeek + day + 1),
)

export function Calendar({ backups, today, chosen, onChoose }: CalendarProps) {
  const text = backupTexts.value
  const now = today !== undefined && isSeason(today.season) ? { ...today, season: today.season } : undefined
  const numbers = [...backups, ...(now === undefined ? [] : [now])].map(seasonNumber)
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
  const shown = useSignal<number | undefined>(undefined)
  const season = Math.min(
    last,
    Math.max(first, shown.value ?? (now === undefined ? last : seasonNumber(now))),
  )
  const ofDay = Map.groupBy(backups, dayNumber)
  const { season: name, year } = seasonAt(season)
  const turn = (to: number) => () => {
    shown.value = to
  }
  return (
    <section class="card calendar" data-season={name}>
      <header>
        <h2 aria-live="polite">{text.season(texts.value.seasons[name], number(year))}</h2>
        <div class="buttons">
          <Turn label={text.earlier} isOn={season > first} icon="before" onTurn={turn(season - 1)} />
          <Turn label={text.next} isOn={season < last} icon="after" onTurn={turn(season + 1)} />
        </div>
      </header>
      <table>
        <caption class="unseen">{text.calendar}</caption>
        <thead>
          <tr>
            {weekdays().map(([short, long]) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((days) => (
            <tr key={days[0]}>
              {days.map((day) => {
                const date = { season: name, day, year }
                const at = dayNumber(date)
                return (
                  <Day
                    key={day}
                    date={date}
                    backups={ofDay.get(at) ?? []}
                    isToday={now !== undefined && dayNumber(now) === at}
                    isChosen={chosen !== undefined && dayNumber(chosen) === at}
                    onChoose={onChoose}
                  />
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">{text.legend}</p>
    </section>
  )
}

interface TurnProps {
  readonly label: string
  readonly isOn: boolean
  readonly icon: 'before' | 'after'
  readonly onTurn: () => void
}

const Turn = ({ label, isOn, icon, onTurn }: TurnProps) => (
  <button type="button" class="bare" aria-label={label} disabled={!isOn} onClick={onTurn}>
    <Icon name={icon} />
  </button>
)

interface DayProps {
  readonly date: GameDay
  readonly backups: readonly Backup[]
  readonly isToday: boolean
  readonly isChosen: boolean
  readonly onChoose: (day: GameDay) => void
}

function Day({ date, backups, isToday, isChosen, onChoose }: DayProps) {
  const text = backupTexts.value
  const isVerified = backups.some(({ verifiedAt }) => verifiedAt !== undefined)
  const state = backups.length === 0 ? 'none' : isVerified ? 'verified' : 'unverified'
  const said = { none: text.noBackup, verified: text.verified, unverified: text.unverified }[state]
  const label = [dateOf(date), said, ...(isToday ? [text.today] : [])].join(', ')
  return (
    <td data-state={state} aria-current={isToday ? 'date' : undefined}>
      {state === 'none' ? (
        <span>
          <span aria-hidden="true">{number(date.day)}</span>
          <span class="unseen">{label}</span>
        </span>
      ) : (
        <button type="button" aria-label={label} aria-pressed={isChosen} onClick={() => onChoose(date)}>
          {number(date.day)}
        </button>
      )}
    </td>
  )
}
