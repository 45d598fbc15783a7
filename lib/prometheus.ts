/** Metrics in the text format of Prometheus (prometheus.io/docs/instrumenting/exposition_formats). */

type Labels = Readonly<Record<string, string>>

/** One line of a metric. */
interface Sample {
  /** After the name of the metric. */
  readonly end?: '_bucket' | '_sum' | '_count'
  readonly labels: Labels
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labelNames: readonly string[]
  /** Called for each reading of the metrics. */
  samples(): readonly Sample[] | Promise<readonly Sample[]>
}

interface MetricOptions<Label extends string> {
  readonly name: string
  readonly help: string
  /** None unless given. */
  readonly labelNames?: readonly Label[]
  readonly registers: readonly Registry[]
}

export class Registry {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'
  readonly #metrics = new Map<string, Metric>()
  #shared: Labels = {}

  /** @throws when another metric has its name */
  registerMetric(metric: Metric): void {
    if ((this.#metrics.get(metric.name) ?? metric) !== metric)
      throw new Error(`two metrics are ${metric.name}`)
    this.#metrics.set(metric.name, metric)
  }

  /** @param labels of every line, in addition to its own; their values are read with the metrics */
  setDefaultLabels(labels: Labels): void {
    this.#shared = labels
  }

  get all(): readonly Metric[] {
    return [...this.#metrics.values()]
  }

  async metrics(): Promise<string> {
    const texts = await Promise.all(this.all.map((metric) => this.#textOf(metric)))
    return `${texts.join('\n\n')}\n`
  }

  async #textOf(metric: Metric): Promise<string> {
    const { name, help, type } = metric
    const lines = (await metric.samples()).map(({ end = '', labels, value }) => {
      const pairs = Object.entries({ ...labels, ...this.#shared, ...labels })
      const shown = pairs.map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`)
      return `${name}${end}${shown.length === 0 ? '' : `{${shown.join()}}`} ${valueText(value)}`
    })
    return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
  }
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const valueText = (value: number) => String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || '+'}Inf`)

/** The series of one metric by their labels. A series is made once and counted in directly, because each request counts. */
class SeriesOf<Label extends string, Series> {
  readonly #series = new Map<string, readonly [Labels, Series]>()
  readonly #labelNames: readonly Label[]
  readonly #make: () => Series

  constructor(labelNames: readonly Label[], make: () => Series) {
    this.#labelNames = labelNames
    this.#make = make
    if (labelNames.length === 0) this.of({})
  }

  of(labels: Partial<Record<Label, string>>): Series {
    const named = this.#labelNames.map((label) => [label, labels[label] ?? ''] as const)
    const id = named.join('\n')
    const found = this.#series.get(id)
    if (found !== undefined) return found[1]
    const made = this.#make()
    this.#series.set(id, [Object.fromEntries(named), made])
    return made
  }

  samples(of: (series: Series, labels: Labels) => readonly Sample[]): readonly Sample[] {
    return [...this.#series.values()].flatMap(([labels, series]) => of(series, labels))
  }
}

class Count {
  value = 0

  inc(count = 1): void {
    this.value += count
  }
}

export class Counter<Label extends string = never> implements Metric {
  readonly name: string
  readonly help: string
  readonly type = 'counter'
  readonly labelNames: readonly Label[]
  readonly #series: SeriesOf<Label, Count>

  constructor({ name, help, labelNames = [], registers }: MetricOptions<Label>) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    this.#series = new SeriesOf(labelNames, () => new Count())
    for (const registry of registers) registry.registerMetric(this)
  }

  inc(...[labels, count]: [Label] extends [never] ? [] : [Readonly<Record<Label, string>>, number?]): void {
    this.#series.of(labels ?? {}).inc(count)
  }

  /** The series of these labels. */
  labels(labels: Readonly<Record<Label, string>>): { inc(): void } {
    return this.#series.of(labels)
  }

  samples(): readonly Sample[] {
    return this.#series.samples(({ value }, labels) => [{ labels, value }])
  }
}

class Distribution {
  readonly #bounds: readonly number[]
  /** Values at most as large as each bound and larger than the one before; the last ones are larger than all. */
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = [...bounds, Number.POSITIVE_INFINITY].map(() => 0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  samples(labels: Labels): readonly Sample[] {
    let count = 0
    const buckets = this.#counts.map((own, at) => {
      count += own
      return {
        end: '_bucket',
        labels: { le: valueText(this.#bounds[at] ?? Number.POSITIVE_INFINITY), ...labels },
        value: count,
      } as const
    })
    return [...buckets, { end: '_sum', labels, value: this.#sum }, { end: '_count', labels, value: count }]
  }
}

export class Histogram<Label extends string = never> implements Metric {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly labelNames: readonly Label[]
  readonly #series: SeriesOf<Label, Distribution>

  /** @param buckets their upper bounds, ascending */
  constructor({
    name,
    help,
    labelNames = [],
    buckets,
    registers,
  }: MetricOptions<Label> & { readonly buckets: readonly number[] }) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    this.#series = new SeriesOf(labelNames, () => new Distribution(buckets))
    for (const registry of registers) registry.registerMetric(this)
  }

  /** Of a histogram without labels. */
  observe(value: number): void {
    this.#series.of({}).observe(value)
  }

  labels(labels: Readonly<Record<Label, string>>): { observe(value: number): void } {
    return this.#series.of(labels)
  }

  samples(): readonly Sample[] {
    return this.#series.samples((series, labels) => series.samples(labels))
  }
}
