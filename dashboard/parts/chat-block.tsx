/** A block of chat lines, which is in the document only near the visible part of the chat. */
import { useSignal } from '@preact/signals'
import { Fragment, type RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Happening } from '../session/chat-happenings.ts'
import type { ShownLine } from '../session/chat-log.ts'
import { day, language, number, textOf, texts, time } from '../texts/texts.ts'
import { PlayerName } from './player-name.tsx'

export interface ChatBlockProps {
  readonly lines: readonly ShownLine[]
  /** The time of the line before. */
  readonly before: number | undefined
  /** The element that scrolls. */
  readonly scroller: RefObject<HTMLElement | null>
  /** The block in which lines are added: it is always in the document. */
  readonly isLast: boolean
  /** Joins, leaves and days, oldest first. */
  readonly happenings: readonly Happening[]
}

/** CSS pixels above and below the visible part within which blocks are in the document. */
const ahead = 1500
/** CSS pixels that a line is assumed to take, until its block was measured. */
const usualLine = 58

export function ChatBlock({ lines, before, scroller, isLast, happenings }: ChatBlockProps) {
  const place = useRef<HTMLOListElement>(null)
  const isNear = useSignal(isLast)
  const height = useRef(lines.length * usualLine)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const seen = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1)
        if (entry === undefined) return
        if (isNear.value && !entry.isIntersecting) height.current = entry.boundingClientRect.height
        isNear.value = entry.isIntersecting
      },
      { root: scroller.current, rootMargin: `${ahead}px 0px` },
    )
    seen.observe(element)
    return () => seen.disconnect()
  }, [])
  const isThere = isLast || isNear.value
  return (
    <ol class="block" ref={place} style={{ blockSize: isThere ? 'auto' : `${height.current}px` }}>
      {isThere && <Lines lines={lines} before={before} isLast={isLast} happenings={happenings} />}
    </ol>
  )
}

const dayOf = (at: number) => new Date(at).toDateString()
const isNewDay = (at: number, after: number | undefined) => after === undefined || dayOf(after) !== dayOf(at)

/** The name of the day, where the line above is of another day. */
const NewDay = ({ at, after }: { readonly at: number; readonly after: number | undefined }) =>
  isNewDay(at, after) ? (
    <li class="day">
      <span>{day(at)}</span>
    </li>
  ) : null

/** Lines of one author within this many milliseconds share one name. */
const together = 5 * 60_000

/** Unchanged lines are not drawn again: Preact skips a node that it has drawn before. */
const Lines = ({
  lines,
  before,
  isLast,
  happenings,
}: Pick<ChatBlockProps, 'lines' | 'before' | 'isLast' | 'happenings'>) =>
  useMemo(
    () => (
      <>
        {lines.map((line, at) => {
          const above = lines[at - 1]
          const earlier = above?.at ?? before
          const between = earlier === undefined ? [] : within(happenings, earlier, line.at)
          const last = between.at(-1)?.at ?? earlier
          return (
            <Fragment key={line.id}>
              <Happenings of={between} after={earlier} />
              <NewDay at={line.at} after={last} />
              <Line
                line={line}
                isSame={
                  between.length === 0 &&
                  !isNewDay(line.at, last) &&
                  above?.kind === line.kind &&
                  above.playerName === line.playerName &&
                  line.at - above.at < together
                }
              />
            </Fragment>
          )
        })}
        {isLast && (
          <Happenings
            of={within(happenings, lines.at(-1)?.at ?? 0, Number.POSITIVE_INFINITY)}
            after={lines.at(-1)?.at}
          />
        )}
      </>
    ),
    [lines, before, isLast, happenings, language.value],
  )

const within = (all: readonly Happening[], after: number, to: number) =>
  all.filter(({ at }) => at > after && at <= to)

interface HappeningsProps {
  readonly of: readonly Happening[]
  /** The time of the entry above. */
  readonly after: number | undefined
}

const Happenings = ({ of, after }: HappeningsProps) => (
  <>
    {of.map((one, index) => (
      <Fragment key={`${one.kind} ${one.at}`}>
        <NewDay at={one.at} after={of[index - 1]?.at ?? after} />
        <li class="happening">
          <HappeningWords of={one} /> <time dateTime={new Date(one.at).toISOString()}>{time(one.at)}</time>
        </li>
      </Fragment>
    ))}
  </>
)

function HappeningWords({ of }: { readonly of: Happening }) {
  const { chat: text, date, seasons } = texts.value
  if (of.kind === 'day')
    return <>{text.dayBegan(date(textOf(seasons, of.season), number(of.day), number(of.year)))}</>
  return (
    <>
      <PlayerName name={of.name} /> {text[of.kind]}
    </>
  )
}

interface LineProps {
  readonly line: ShownLine
  /** The line above is of the same author, a moment before. */
  readonly isSame: boolean
}

function Line({ line, isSame }: LineProps) {
  const { chat: text } = texts.value
  if (line.kind === 'gap') return <li class="gap">{text.gap}</li>
  return (
    <li class="said" data-kind={line.kind} data-same={isSame}>
      <PlayerName name={line.playerName} />
      <time dateTime={new Date(line.at).toISOString()}>{time(line.at)}</time>
      {line.kind === 'said' && <span class="tag">{text.saidHere}</span>}
      <p dir="auto">{line.message}</p>
    </li>
  )
}
