/** The game's log: it follows, and can be searched and paused. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Farm } from '../../../client/index.ts'
import { asFailure } from '../../parts/asked.ts'
import { Trouble } from '../../parts/trouble.tsx'
import { language, number, time } from '../../texts/texts.ts'
import { type LogRow, logLines } from './log-lines.ts'
import { serverTexts } from './texts.ts'

type Blocks = readonly (readonly LogRow[])[]

const newestOf = (blocks: Blocks): number => blocks.at(-1)?.at(-1)?.id ?? 0

export function Log({ farm }: { readonly farm: Farm }) {
  const text = serverTexts.value
  const log = useMemo(() => logLines(farm), [])
  useEffect(() => log.close, [])
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const sought = useSignal('')
  /** What is shown while it is paused. */
  const held = useSignal<Blocks | undefined>(undefined)
  const shown = held.value ?? log.blocks.value
  const query = sought.value.trim().toLowerCase()
  const found =
    query === ''
      ? undefined
      : shown.flat().filter((row) => 'text' in row && row.text.toLowerCase().includes(query))
  const newest = newestOf(shown)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [newest, query])
  const since = newestOf(log.blocks.value) - newest
  return (
    <section class="card game-log">
      <header>
        <h2>{text.log}</h2>
        <p class="quiet" role="status">
          {held.value !== undefined && text.paused(since, number(since))}{' '}
          {found !== undefined && text.found(found.length, number(found.length))}
        </p>
        <button
          type="button"
          aria-pressed={held.value !== undefined}
          onClick={() => {
            held.value = held.value === undefined ? log.blocks.value : undefined
          }}
        >
          {held.value === undefined ? text.pause : text.resume}
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
      <Trouble error={log.error.value === undefined ? undefined : asFailure(log.error.value)} />
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
        {found === undefined ? (
          shown.map((rows) => <Rows key={rows[0]?.id} rows={rows} />)
        ) : (
          <Rows rows={found} />
        )}
        {newest === 0 && log.error.value === undefined && <p class="quiet">{text.emptyLog}</p>}
      </section>
    </section>
  )
}

/** Lines that are the same are not drawn again: Preact skips a node that it has drawn before. */
const Rows = ({ rows }: { readonly rows: readonly LogRow[] }) =>
  useMemo(
    () => (
      <ol>
        {rows.map((row) =>
          'missing' in row ? (
            <li key={row.id} class="missing">
              {row.missing === 0
                ? serverTexts.value.maybeGap
                : serverTexts.value.gap(row.missing, number(row.missing))}
            </li>
          ) : (
            <li key={row.id}>
              {row.at !== undefined && <time dateTime={row.at}>{time(row.at)} </time>}
              {row.text}
            </li>
          ),
        )}
      </ol>
    ),
    [rows, language.value],
  )
