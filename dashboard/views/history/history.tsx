/** How the farm ran: charts over an hour, a day or a month, and who was on it when. */
import './history.css'
import { useSignal } from '@preact/signals'
import { Trouble } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import { MetricCharts } from './metric-charts.tsx'
import { readSpan, type SpanName } from './span.ts'
import { historyTexts } from './texts.ts'
import { Timeline } from './timeline.tsx'

const names = ['hour', 'day', 'month'] as const

export function HistoryView({ session }: { readonly session: SignedIn }) {
  const text = historyTexts.value
  const chosen = useSignal<SpanName>('day')
  return (
    <div class="view">
      <header class="view-header">
        <h1>{texts.value.views.history}</h1>
        <fieldset class="choice">
          <legend class="unseen">{text.span}</legend>
          {names.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="span"
                checked={chosen.value === name}
                onChange={() => {
                  chosen.value = name
                }}
              />
              <span>{text.spans[name]}</span>
            </label>
          ))}
        </fieldset>
      </header>
      <Span key={chosen.value} session={session} name={chosen.value} />
    </div>
  )
}

/** Milliseconds; there is a new sample once a minute. */
const readEvery = 60_000

function Span({ session, name }: { readonly session: SignedIn; readonly name: SpanName }) {
  const { live, farm } = session
  const read = useLoaded((signal) => readSpan(farm, name, live.now(), signal), readEvery)
  const shown = read.value.value
  return (
    <>
      <Trouble error={read.error.value} again={() => void read.again()} />
      {shown === undefined ? (
        <p class="quiet reserved" aria-busy={read.isBusy.value}>
          {read.isBusy.value && historyTexts.value.busy}
        </p>
      ) : (
        <>
          <MetricCharts shown={shown} isLong={name === 'month'} />
          <Timeline shown={shown} isLong={name === 'month'} />
        </>
      )}
    </>
  )
}
