/** Recent events of the farm and its state: loaded after the farm itself. */
import './overview.css'
import type { ComponentChildren } from 'preact'
import { findings, firstWrong } from '../../../client/findings.ts'
import type { Backups, Cause, HistoryDays, HistorySessions } from '../../../client/index.ts'
import { Trouble } from '../../parts/asked.tsx'
import { dateOf } from '../../parts/calendar-days.ts'
import { useLoaded } from '../../parts/loaded.ts'
import { PlayerName } from '../../parts/player-name.tsx'
import { addressOf } from '../../parts/route.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { date, duration, moment, number, rounded, textOf, texts, time } from '../../texts/texts.ts'
import { diagnose } from '../doctor/diagnosis.ts'
import { joinSentence } from '../doctor/join-sentence.ts'
import { doctorTexts } from '../doctor/texts.ts'
import { beginOf, overall, seriesOf } from '../history/span.ts'
import { ticksBetween } from '../history/ticks.ts'
import { overviewTexts } from './texts.ts'

interface Props {
  readonly session: SignedIn
}

/** Milliseconds. */
const lookEvery = 60_000
const day = 24 * 3_600_000

interface Happening {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly what: ComponentChildren
  readonly isAlarm?: boolean
}

const shown = 8

/** Joins, leaves, days, backups and alarms, newest first. */
function Recent({ session: { farm } }: Props) {
  const text = overviewTexts.value
  const read = useLoaded(async (signal) => {
    const [{ sessions }, { days }, { backups }] = await Promise.all([
      farm.historySessions({ limit: 20 }, { signal }),
      farm.historyDays({ limit: 3 }, { signal }),
      farm.backups({}, { signal }),
    ])
    return { sessions, days, backups }
  }, lookEvery)
  const seen = read.value.value
  const happenings = seen === undefined ? [] : happeningsOf(seen)
  return (
    <section class="card recent">
      <h2>{text.recent}</h2>
      <Trouble error={read.error.value} again={() => void read.again()} />
      {seen !== undefined && happenings.length === 0 && <p class="quiet">{text.nothingYet}</p>}
      <ol>
        {happenings.map(({ at, what, isAlarm }, index) => (
          <li key={`${at} ${index}`} data-alarm={isAlarm}>
            <span>{what}</span>
            <time class="quiet" dateTime={new Date(at).toISOString()}>
              {moment(at)}
            </time>
          </li>
        ))}
      </ol>
    </section>
  )
}

function happeningsOf({
  sessions,
  days,
  backups,
}: HistorySessions & HistoryDays & Pick<Backups, 'backups'>): readonly Happening[] {
  const text = overviewTexts.value
  const { seasons, date: gameDate } = texts.value
  // Everyone who was on the farm when the game stopped has the same end.
  const stops = new Set(sessions.flatMap(({ ended, leftAt }) => (ended === 'away' && leftAt ? [leftAt] : [])))
  const all: Happening[] = [
    ...sessions.flatMap(({ name, joinedAt, leftAt, ended }) => [
      { at: Date.parse(joinedAt), what: <Person name={name} did={text.joined} /> },
      ...(leftAt !== undefined && ended === 'left'
        ? [{ at: Date.parse(leftAt), what: <Person name={name} did={text.left} /> }]
        : []),
    ]),
    ...[...stops].map((at) => ({ at: Date.parse(at), what: text.stopped, isAlarm: true })),
    ...days.map(({ beganAt, season, day, year }) => ({
      at: Date.parse(beganAt),
      what: text.dayBegan(gameDate(textOf(seasons, season), number(day), number(year))),
    })),
    ...backups.map((backup) => ({
      at: Date.parse(backup.madeAt),
      what: backup.verifiedAt === undefined ? text.unverified(dateOf(backup)) : text.backedUp(dateOf(backup)),
      isAlarm: backup.verifiedAt === undefined,
    })),
  ]
  return all.toSorted((one, other) => other.at - one.at).slice(0, shown)
}

const Person = ({ name, did }: { readonly name: string; readonly did: string }) => (
  <>
    <PlayerName name={name} /> {did}
  </>
)

/** Units of the drawing. */
const [width, height] = [960, 100]
/** Part of the width, from 0 to 1, at both ends, where the time of a mark has no room. */
const margin = 0.04

/** Whole numbers of players to mark at the side, greatest first: at most five, and at least 0 and 1. */
function marksTo(most: number): readonly number[] {
  const step = [1, 2, 5, 10, 20].find((one) => most / one <= 4) ?? 50
  const steps = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: steps + 1 }, (_, at) => (steps - at) * step)
}

/** The number of players in the last 24 hours, or since the first sample. */
function PlayersOfDay({ session: { farm, live } }: Props) {
  const text = overviewTexts.value
  const read = useLoaded(async (signal) => {
    const to = live.now()
    const between = { from: new Date(to - day).toISOString(), to: new Date(to).toISOString() }
    return { to, samples: await farm.historySamples({ ...between, step: 600 }, { signal }) }
  }, lookEvery)
  const seen = read.value.value
  const series = seen && seriesOf(seen.samples, 'players')
  const whole = series && overall(series)
  const marks = marksTo(Math.ceil(whole?.max ?? 0))
  const [most = 1] = marks
  const to = seen?.to ?? live.now()
  const from = beginOf(to - day, (series?.at[0] ?? Number.POSITIVE_INFINITY) * 1000, to)
  const part = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)))
  const x = (at: number) => Math.round(part(at) * width)
  const y = (count: number) => Math.round(height - (count / most) * height)
  const path = (series?.values ?? [])
    .map((value, index) => {
      const at = (series?.at[index] ?? 0) * 1000
      const end = x(at + (seen?.samples.step ?? 0) * 1000)
      return value === null ? '' : `M${x(at)} ${height}V${y(value.max)}H${end}V${height}z`
    })
    .join('')
  return (
    <section class="card of-day">
      <header>
        <h2>{text.playersOfDay}</h2>
        <a href={addressOf('history')}>{text.allCharts}</a>
      </header>
      <Trouble error={read.error.value} again={() => void read.again()} />
      <div
        class="drawing"
        role="img"
        aria-label={
          whole === undefined
            ? text.noSamples
            : text.playersWere(rounded(Math.round(whole.mean * 10) / 10), number(Math.round(whole.max)))
        }
      >
        <span class="axis" aria-hidden="true">
          {/* New elements with each scale, so that none moves; and none before there are samples. */}
          {seen !== undefined && marks.map((count) => <span key={`${most} ${count}`}>{number(count)}</span>)}
        </span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={marks.map((count) => `M0 ${y(count)}H${width}`).join('')} />
          <path d={path} />
        </svg>
        <span class="ticks" aria-hidden="true">
          {seen !== undefined &&
            ticksBetween(from, to)
              .filter((at) => part(at) >= margin && part(at) <= 1 - margin)
              .map((at) => (
                <span key={`${from} ${at}`} style={{ left: `${part(at) * 100}%` }}>
                  {time(at)}
                </span>
              ))}
        </span>
      </div>
    </section>
  )
}

/** The newest backup, and the doctor's findings. */
function State({ session }: Props) {
  const text = overviewTexts.value
  const read = useLoaded(async (signal) => {
    const [{ backups, state }, diagnosis] = await Promise.all([
      session.farm.backups({}, { signal }),
      diagnose(session, signal),
    ])
    return { newest: backups.find(({ verifiedAt }) => verifiedAt !== undefined), state, diagnosis }
  }, lookEvery)
  const seen = read.value.value
  const troubles = seen?.diagnosis.findings.filter(({ found }) => findings[found] !== 'ok') ?? []
  const { checks, allWell, joining } = doctorTexts.value
  const join = seen?.diagnosis.join
  const cause = join && firstWrong(join)
  const ago = (at: number) => {
    const since = session.live.now() - at
    if (since < 60_000) return text.now
    return since < day ? text.ago(duration(since)) : date(at)
  }
  return (
    <section class="card state" aria-busy={read.isBusy.value}>
      <h2>{text.state}</h2>
      <Trouble error={read.error.value} again={() => void read.again()} />
      <dl>
        <dt>
          <a href={addressOf('backups')}>{text.lastBackup}</a>
        </dt>
        <dd>
          {seen !== undefined &&
            (seen.newest === undefined
              ? seen.state.saves === 'absent'
                ? text.noSaves
                : text.noBackup
              : `${dateOf(seen.newest)} · ${ago(Date.parse(seen.newest.madeAt))}`)}
        </dd>
        <dt>
          <a href={addressOf('doctor')}>{joining.title}</a>
        </dt>
        <dd>{join && joinSentence(cause?.message ?? joining.nothing)}</dd>
        <dt>
          <a href={addressOf('doctor')}>{text.check}</a>
        </dt>
        <dd>
          {seen !== undefined &&
            (troubles.length === 0
              ? allWell
              : text.troubles(
                  troubles.length,
                  number(troubles.length),
                  [...new Set(troubles.map(({ part }) => checks[part]))].join(text.comma),
                ))}
        </dd>
      </dl>
    </section>
  )
}

/** A cause and its next step, in the language of the page. */
const said = ({ message, next }: Cause): string =>
  texts.value.sentences(joinSentence(message), joinSentence(next))

/** The cause of an outage, since when it lasts, and where to look. */
function Outage({ session }: Props) {
  const text = overviewTexts.value
  const { views } = texts.value
  const cause = session.live.cause.value
  return (
    <section class="card outage">
      <h2>{text.outage}</h2>
      {cause !== undefined && (
        <>
          <p>
            <strong>{joinSentence(cause.message)}</strong>{' '}
            <span class="quiet">{text.since(moment(cause.since))}</span>
          </p>
          <p>{joinSentence(cause.next)}</p>
        </>
      )}
      <p class="links">
        <a href={addressOf('doctor')}>{views.doctor}</a>
        {session.hasHost && <a href={addressOf('server')}>{views.server}</a>}
        {session.hasHost && allows(session, 'admin') && <a href={addressOf('server')}>{text.log}</a>}
        <a href={addressOf('history')}>{views.history}</a>
      </p>
    </section>
  )
}

const lines = 4

/** The newest lines of the chat. */
function ChatPreview({ session: { farm, live } }: Props) {
  const text = overviewTexts.value
  const { chat } = texts.value
  const kept = useLoaded(async (signal) => (await farm.historyChat({ limit: lines }, { signal })).lines)
  const blocks = live.chat.blocks.value
    .slice(-2)
    .flat()
    .filter(({ kind }) => kind !== 'gap')
    .slice(-lines)
  const newest =
    blocks.length > 0
      ? blocks
      : (kept.value.value ?? []).toReversed().map((line) => ({ ...line, at: Date.parse(line.timestamp) }))
  return (
    <section class="card chat-preview">
      <header>
        <h2>{text.chat}</h2>
        <a href={addressOf('chat')}>{text.allMessages}</a>
      </header>
      {newest.length === 0 ? (
        <p class="quiet">{chat.empty}</p>
      ) : (
        <ol>
          {/* By place, so that a new line changes texts and moves nothing. */}
          {newest.map(({ playerName, message }, index) => (
            <li key={index}>
              <PlayerName name={playerName} /> <bdi>{message}</bdi>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** The cards, by their names. */
export const overview = { Recent, PlayersOfDay, State, ChatPreview, Outage, said } as const
