/** Who was on the farm when, a line for each person, above the days of the game; and the same as tables. */

import type { HistoryOutages } from '../../../client/index.ts'
import { Opened } from '../../parts/fold.tsx'
import { hueOf, PlayerName } from '../../parts/player-name.tsx'
import { date, dateTime, number, textOf, texts, time } from '../../texts/texts.ts'
import type { SpanProps } from './metric-charts.tsx'
import { type Day, mostEntries, type Session } from './span.ts'
import { Table } from './table.tsx'
import { historyTexts } from './texts.ts'
import { ticksBetween } from './ticks.ts'

/** Maximum of drawn people. */
const mostPeople = 40
/** Units of a drawing's width. */
const width = 1000

export function Timeline({ shown, isLong }: SpanProps) {
  const text = historyTexts.value
  const { from, to, sessions, days, outages: kept, isCut } = shown
  const { outages = [] } = kept ?? {}
  const people = new Map<bigint, Session[]>()
  for (const session of sessions)
    people.set(session.playerId, [...(people.get(session.playerId) ?? []), session])
  const x = (at: number) => Math.round(((Math.min(to, Math.max(from, at)) - from) / (to - from)) * width)
  const marks = ticksBetween(from, to)
  return (
    <section class="card">
      <h2>{text.who}</h2>
      {people.size === 0 && <p class="quiet">{text.nobody}</p>}
      <div class="timeline" aria-hidden="true">
        <DayRow days={days} x={x} />
        {outages.length > 0 && (
          <>
            <span class="quiet">{text.outages}</span>
            <Bars kind="outage" times={outages.map((one) => [one.from, one.to])} x={x} to={to} />
          </>
        )}
        {[...people.values()].slice(0, mostPeople).map((own) => (
          <PersonRow key={String(own[0]?.playerId)} sessions={own} x={x} to={to} />
        ))}
        <span />
        <p class="marks">
          {marks.map((at) => (
            <span key={at} style={{ left: `${(x(at) / width) * 100}%` }}>
              {isLong ? date(at) : time(at)}
            </span>
          ))}
        </p>
      </div>
      {people.size > mostPeople && <p class="quiet">{text.onlySome(number(mostPeople))}</p>}
      {kept !== undefined && <p class="quiet">{text.share(shareOf(kept.share))}</p>}
      {outages.length > 0 && (
        <Opened summary={text.outagesAsTable(outages.length, number(outages.length))}>
          {() => <OutageTable outages={outages} />}
        </Opened>
      )}
      {sessions.length > 0 && (
        <Opened summary={text.sessionsAsTable(sessions.length, number(sessions.length))}>
          {() => <SessionTable sessions={sessions} isCut={isCut.sessions} />}
        </Opened>
      )}
      {days.length > 0 && (
        <Opened summary={text.daysAsTable(days.length, number(days.length))}>
          {() => <DayTable days={days} isCut={isCut.days} />}
        </Opened>
      )}
    </section>
  )
}

interface RowProps {
  /** The place of a time, in milliseconds since 1970. */
  readonly x: (at: number) => number
}

function PersonRow({
  sessions,
  x,
  to,
}: RowProps & { readonly sessions: readonly Session[]; readonly to: number }) {
  const name = sessions[0]?.name ?? ''
  const times = sessions.map(({ joinedAt, leftAt }) => [joinedAt, leftAt] as const)
  return (
    <>
      <PlayerName name={name} />
      <Bars kind="visit" times={times} x={x} to={to} hue={hueOf(name)} />
    </>
  )
}

interface BarsProps extends RowProps {
  readonly kind: 'visit' | 'outage'
  /** One without an end lasts. */
  readonly times: readonly (readonly [from: string, to: string | undefined])[]
  /** The end of the drawing, in milliseconds since 1970. */
  readonly to: number
  readonly hue?: number
}

function Bars({ kind, times, x, to, hue }: BarsProps) {
  const path = times
    .map(([from, end]) => {
      const start = x(Date.parse(from))
      // At least two units wide, so that a short one is visible.
      return `M${start} 6H${Math.max(start + 2, x(end === undefined ? to : Date.parse(end)))}`
    })
    .join('')
  return (
    <svg viewBox={`0 0 ${width} 12`} preserveAspectRatio="none" aria-hidden="true">
      <path class="track" d={`M0 6H${width}`} />
      <path class={kind} d={path} {...(hue !== undefined && { style: { '--hue': String(hue) } })} />
    </svg>
  )
}

/** A percentage in which a short outage is seen. */
const shareOf = (share: number): string => `${number(Math.floor(share * 10_000) / 100)} %`

function OutageTable({ outages }: { readonly outages: HistoryOutages['outages'] }) {
  const { outages: label, columns, outageOf, causes, lasts } = historyTexts.value
  return (
    <Table label={label} columns={[columns.what, columns.began, columns.over, columns.cause]}>
      {outages.map(({ of, from, to, cause }) => (
        <tr key={`${of} ${from}`}>
          <th scope="row">{outageOf[of]}</th>
          <td>{dateTime(from)}</td>
          <td>{to === undefined ? lasts : dateTime(to)}</td>
          <td>{cause === undefined ? '' : textOf(causes, cause)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Part of the width, from 0 to 1, that the name of a day needs. */
const labelNeeds = 0.09

function DayRow({ days, x }: RowProps & { readonly days: readonly Day[] }) {
  const { seasons } = texts.value
  const text = historyTexts.value
  const starts = days.map((day) => ({ ...day, x: x(Date.parse(day.beganAt)) })).reverse()
  const named = starts.flatMap(({ season, day, x: start }, at) => {
    const part = ((starts[at + 1]?.x ?? width) - start) / width
    const label = text.day(textOf(seasons, season), number(day))
    return part < labelNeeds ? [] : [{ start, part, label, short: number(day) }]
  })
  return (
    <>
      <span class="quiet">{text.days}</span>
      <div class="days">
        <svg viewBox={`0 0 ${width} 20`} preserveAspectRatio="none" aria-hidden="true">
          <path d={starts.map(({ x: start }) => `M${start} 0v20`).join('')} />
        </svg>
        {named.map(({ start, part, label, short }) => (
          <span key={start} style={{ left: `${(start / width) * 100}%`, width: `${part * 100}%` }}>
            <b>{label}</b>
            <b class="short">{short}</b>
          </span>
        ))}
      </div>
    </>
  )
}

function SessionTable({
  sessions,
  isCut,
}: {
  readonly sessions: readonly Session[]
  readonly isCut: boolean
}) {
  const text = historyTexts.value
  const { columns } = text
  return (
    <>
      {isCut && <p class="quiet">{text.onlyNewest(number(mostEntries))}</p>}
      <Table label={text.who} columns={[columns.player, columns.joined, columns.left, columns.ended]}>
        {sessions.map(({ playerId, name, joinedAt, leftAt, ended }) => (
          <tr key={`${playerId} ${joinedAt}`}>
            <th scope="row">
              <PlayerName name={name} />
            </th>
            <td>{dateTime(joinedAt)}</td>
            <td>{leftAt === undefined ? text.stillHere : dateTime(leftAt)}</td>
            <td>{ended === undefined ? '' : text.ended[ended]}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}

function DayTable({ days, isCut }: { readonly days: readonly Day[]; readonly isCut: boolean }) {
  const text = historyTexts.value
  const { columns } = text
  const { seasons, date: gameDate } = texts.value
  return (
    <>
      {isCut && <p class="quiet">{text.onlyNewest(number(mostEntries))}</p>}
      <Table label={text.days} columns={[columns.day, columns.began, columns.over, columns.players]}>
        {days.map(({ day, season, year, beganAt, endedAt, players }, at) => (
          <tr key={beganAt}>
            <th scope="row">{gameDate(textOf(seasons, season), number(day), number(year))}</th>
            <td>{dateTime(beganAt)}</td>
            <td>{endedAt === undefined ? (at === 0 ? '' : text.notKnown) : dateTime(endedAt)}</td>
            <td>
              {players.map(({ playerId, name }, index) => (
                <span key={String(playerId)}>
                  {index > 0 && ', '}
                  <PlayerName name={name} />
                </span>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </>
  )
}
