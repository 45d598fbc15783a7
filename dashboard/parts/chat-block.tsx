/** A block of chat lines, which is in the document only near the visible part of the chat. */
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ShownLine } from '../session/chat-log.ts'
import { day, language, time, words } from '../words/words.ts'
import { PlayerName } from './player-name.tsx'

export interface ChatBlockProps {
  readonly lines: readonly ShownLine[]
  /** When the line before was said. */
  readonly before: number | undefined
  /** The element that scrolls. */
  readonly scroller: RefObject<HTMLElement | null>
  /** The block in which lines are added: it is always there. */
  readonly isLast: boolean
}

/** CSS pixels above and below the visible part within which blocks are in the document already. */
const ahead = 1500
/** CSS pixels that a line is assumed to take, until its block was measured. */
const usualLine = 58

export function ChatBlock({ lines, before, scroller, isLast }: ChatBlockProps) {
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
      {isThere && <Lines lines={lines} before={before} />}
    </ol>
  )
}

const dayOf = (at: number) => new Date(at).toDateString()

/** Lines that are the same are not drawn again: Preact skips a node that it has drawn before. */
const Lines = ({ lines, before }: Pick<ChatBlockProps, 'lines' | 'before'>) =>
  useMemo(
    () => (
      <>
        {lines.map((line, at) => {
          const earlier = lines[at - 1]?.at ?? before
          const isNewDay = earlier === undefined || dayOf(earlier) !== dayOf(line.at)
          return <Line key={line.id} line={line} isNewDay={isNewDay} />
        })}
      </>
    ),
    [lines, before, language.value],
  )

function Line({ line, isNewDay }: { readonly line: ShownLine; readonly isNewDay: boolean }) {
  const { chat: text } = words.value
  return (
    <>
      {isNewDay && (
        <li class="day">
          <span>{day(line.at)}</span>
        </li>
      )}
      {line.kind === 'gap' ? (
        <li class="gap">{text.gap}</li>
      ) : (
        <li class="said" data-kind={line.kind}>
          <PlayerName name={line.playerName} />
          <time dateTime={new Date(line.at).toISOString()}>{time(line.at)}</time>
          {line.kind === 'said' && <span class="tag">{text.saidHere}</span>}
          <p dir="auto">{line.message}</p>
        </li>
      )}
    </>
  )
}
