/** The charts of the samples, and the same samples as a table. */
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { HistorySamples, Summary } from '../../../client/index.ts'
import { Opened } from '../../parts/fold.tsx'
import { date, dateTime, duration, rounded, time } from '../../texts/texts.ts'
import { Chart } from './chart.tsx'
import { type Metric, metrics, overall, resourceMetrics, type Shown, seriesOf } from './span.ts'
import { Table } from './table.tsx'
import { historyTexts } from './texts.ts'

type Sampled = Pick<Shown, 'samples' | 'from' | 'to'>

export interface SpanProps {
  readonly shown: Shown
  /** Longer than a day: times are then dates. */
  readonly isLong: boolean
}

export function MetricCharts({ shown, isLong }: SpanProps) {
  const text = historyTexts.value
  const { samples } = shown
  if (samples.samples.length === 0)
    return (
      <section class="card">
        <p class="quiet">{text.nothing}</p>
      </section>
    )
  return (
    <>
      <div class="charts">
        {metrics.map((metric) => (
          <MetricChart key={metric} metric={metric} shown={shown} isLong={isLong} />
        ))}
      </div>
      <section class="card">
        <Opened summary={text.asTable}>{() => <SampleTable samples={samples} />}</Opened>
      </section>
    </>
  )
}

/** The maximum of players is a whole number, also where a step is summed up. */
const whole = (metric: Metric, max: number) => (metric === 'players' ? Math.round(max) : max)

const withUnit = (value: number, unit: string) => (unit === '' ? rounded(value) : `${rounded(value)} ${unit}`)

/** The charts of the resources, without a table. */
export const ResourceCharts = ({ shown }: { readonly shown: Sampled }) => (
  <div class="charts">
    {resourceMetrics.map((metric) => (
      <MetricChart key={metric} metric={metric} shown={shown} isLong={false} />
    ))}
  </div>
)

interface MetricProps {
  readonly metric: Metric
  readonly shown: Sampled
  readonly isLong: boolean
}

function MetricChart({ metric, shown, isLong }: MetricProps) {
  const text = historyTexts.value
  const [title = '', unit = ''] = text.charts[metric]
  const series = useMemo(() => seriesOf(shown.samples, metric), [shown, metric])
  const pointed = useSignal<number | undefined>(undefined)
  const all = overall(series)
  const at = pointed.value === undefined ? undefined : series.at[pointed.value]
  const there = pointed.value === undefined ? undefined : series.values[pointed.value]
  const said = ({ mean, max }: Summary) =>
    text.meanAndMost(
      withUnit(metric === 'players' ? Math.round(mean * 10) / 10 : mean, unit),
      withUnit(whole(metric, max), unit),
    )
  return (
    <section class="card metric">
      <header>
        <h2>{title}</h2>
        <p class="quiet">{at === undefined ? text.wholeTime : dateTime(at * 1000)}</p>
      </header>
      {all === undefined ? (
        <p class="quiet">{text.notReported}</p>
      ) : (
        <>
          <p class="figure">{said(there ?? all)}</p>
          <Chart
            series={series}
            from={shown.from}
            to={shown.to}
            label={text.summary(title, withUnit(all.mean, unit), withUnit(whole(metric, all.max), unit))}
            formatValue={(value) => withUnit(value, unit)}
            isWhole={metric === 'players'}
            formatTime={isLong ? date : time}
            onPoint={(next) => {
              pointed.value = next
            }}
          />
        </>
      )}
    </section>
  )
}

function SampleTable({ samples: { step, samples } }: { readonly samples: HistorySamples }) {
  const text = historyTexts.value
  const cell = (value: Summary | undefined) =>
    value === undefined ? '–' : `${rounded(value.mean)} (${rounded(value.max)})`
  return (
    <>
      <p class="quiet">{text.step(duration(step * 1000))}</p>
      <Table
        label={text.asTable}
        columns={[
          text.time,
          ...metrics.map((metric) => text.charts[metric].filter((part) => part !== '').join(', ')),
        ]}
      >
        {samples.toReversed().map((sample) => (
          <tr key={sample.at}>
            <th scope="row">{dateTime(sample.at)}</th>
            {metrics.map((metric) => (
              <td key={metric}>{cell(sample[metric])}</td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  )
}
