/** The game's log: it follows, and can be searched and paused. */

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { followLog } from '../../../client/follow-log.ts'
import type { Farm, LogEvent } from '../../../client/index.ts'
import { asFailure, Trouble } from '../../parts/asked.tsx'
import { number, time } from '../../texts/texts.ts'
import { serverTexts } from './texts.ts'

/** `id` counts up on this page. */
type Row = LogEvent & { readonly id: number }

/** Lines that are read when the connection opens, and that are kept. */
const [linesRead, mostKept] = [500, 1000]
/** Milliseconds in which lines are gathered before the page is drawn again. */
const gather = 50

function useLog(farm: Farm) {
  const rows = useSignal<readonly Row[]>([])
  const error = useSignal<unknown>(undefined)
  useEffect(() => {
    const ended = new AbortController()
    let lastId = 0
    let waiting: Row[] = []
    const draw = () => {
      rows.value = [...rows.value, ...waiting].slice(-mostKept)
      waiting = []
    }
    followLog(farm, {
      lines: linesRead,
      signal: ended.signal,
      onError(reason) {
        error.value = reason
      },
      onLine(line) {
        if (waiting.length === 0) setTimeout(draw, gather)
        lastId += 1
        waiting.push({ id: lastId, ...line })
      },
    })
    return () => ended.abort()
  }, [])
  return { rows, error }
}

const newestOf = (rows: readonly Row[]): number => rows.at(-1)?.id ?? 0

export function Log({ farm }: { readonly farm: Farm }) {
  const text = serverTexts.value
  const { rows, error } = useLog(farm)
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const sought = useSignal('')
  /** What is shown while it is paused. */
  const held = useSignal<readonly Row[] | undefined>(undefined)
  const isPaused = held.value !== undefined
  const shown = held.value ?? rows.value
  const query = sought.value.trim().toLowerCase()
  const found =
    query === '' ? shown : shown.filter((row) => 'text' in row && row.text.toLowerCase().includes(query))
  const newest = newestOf(shown)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [newest, query])
  const since = newestOf(rows.value) - newest
  return (
    <section class="card stack game-log">
      <header>
        <h2>{text.log}</h2>
        <p class="quiet" role="status">
          {isPaused && text.paused(since, number(since))}{' '}
          {query !== '' && text.found(found.length, number(found.length))}
        </p>
        <button
          type="button"
          aria-pressed={isPaused}
          onClick={() => {
            held.value = isPaused ? undefined : rows.value
          }}
        >
          {isPaused ? text.resume : text.pause}
        </button>
      </header>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={sought.value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          sought.value = currentTarget.value
        }}
      />
      <Trouble error={error.value === undefined ? undefined : asFailure(error.value)} />
      <section
        class="printed"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to scroll by keyboard too
        tabIndex={0}
        aria-label={text.log}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        <ol>
          {found.map((row) =>
            'missing' in row ? (
              <li key={row.id} class="missing">
                {row.missing === 0 ? text.maybeGap : text.gap(row.missing, number(row.missing))}
              </li>
            ) : (
              <li key={row.id}>
                {row.at !== undefined && <time dateTime={row.at}>{time(row.at)} </time>}
                {row.text}
              </li>
            ),
          )}
        </ol>
        {newest === 0 && error.value === undefined && <p class="quiet">{text.emptyLog}</p>}
      </section>
    </section>
  )
}
