/** A line over time, drawn by uPlot, which is loaded with this file. */
// Before uPlot, which some browsers cannot load without it.
import './language-tag.ts'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'preact/hooks'
import { isGameOffline, isLost } from '../../session/connection.ts'
import { lonely, type Series } from './span.ts'
import { ticksBetween } from './ticks.ts'

export interface ChartProps {
  readonly series: Series
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly label: string
  readonly formatValue: (value: number) => string
  /** Only whole numbers are marked at the side. */
  readonly isWhole: boolean
  /** @param at milliseconds since 1970 */
  readonly formatTime: (at: number) => string
  /** The place in the series under the pointer; undefined for none. */
  readonly onPoint: (at: number | undefined) => void
}

/** CSS pixels; the style of `.chart` reserves the same, so that nothing moves when it is drawn. */
const chartHeight = 150

/** Steps between the marks at the side, from 0.01 to 500,000. */
const steps = Array.from({ length: 8 }, (_, at) => [1, 2, 5].map((digit) => digit * 10 ** (at - 2))).flat()

/** A canvas takes no variables of CSS; these properties of the chart's own element have the colours of the page. */
const colours = {
  line: 'color',
  most: 'caret-color',
  grid: 'outline-color',
  text: 'text-decoration-color',
} as const

export function Chart({ series, from, to, label, formatValue, isWhole, formatTime, onPoint }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(undefined)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const colour = (name: keyof typeof colours) => () =>
      getComputedStyle(element).getPropertyValue(colours[name])
    const axis = { stroke: colour('text'), font: '12px system-ui, sans-serif', ticks: { show: false } }
    const grid = { stroke: colour('grid'), width: 1 }
    const alone = lonely(series)
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: chartHeight,
        legend: { show: false },
        cursor: {
          drag: { x: false, y: false },
          points: { size: 7 },
          y: false,
          sync: { key: 'history' },
        },
        scales: {
          x: { range: () => [from / 1000, to / 1000] },
          y: { range: (_plot, _least, most) => [0, Math.max(1, (most ?? 0) * 1.08)] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 26,
            splits: () => ticksBetween(from, to).map((at) => at / 1000),
            values: (_plot, splits) => splits.map((at) => formatTime(at * 1000)),
          },
          {
            ...axis,
            grid,
            size: 62,
            space: 24,
            values: (_plot, splits) => splits.map(formatValue),
            incrs: isWhole ? steps.filter((step) => step >= 1) : steps,
          },
        ],
        series: [
          {},
          { stroke: colour('most'), width: 1, points: { show: false } },
          {
            stroke: colour('line'),
            width: 2,
            points: { show: alone.length > 0, size: 5, filter: () => alone },
          },
        ],
        hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
      },
      [
        [...series.at],
        series.values.map((value) => value?.max ?? null),
        series.values.map((value) => value?.mean ?? null),
      ],
      element,
    )
    drawn.current = plot
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: chartHeight }))
    sized.observe(element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => plot.redraw()
    dark.addEventListener('change', redraw)
    return () => {
      sized.disconnect()
      dark.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [series, from, to, label])
  // The styles then have other colours.
  const isOld = isLost.value || isGameOffline.value
  useEffect(() => drawn.current?.redraw(), [isOld])
  return <div class="chart" ref={place} role="img" aria-label={label} />
}
