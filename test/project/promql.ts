/**
 * The part of PromQL that the alerts of deploy/prometheus use, over readings of the metrics at two times. The grammar
 * is Prometheus's own; any other expression is an error.
 */
import { parser } from '@prometheus-io/lezer-promql'
import * as v from 'valibot'
import type { Sample } from '../runtime/node/scrape.ts'

export interface Readings {
  readonly now: readonly Sample[]
  /** So many minutes earlier; none before the first reading. */
  ago(minutes: number): readonly Sample[]
}

/** A value for each set of labels, which are JSON. */
export type Vector = ReadonlyMap<string, number>
type Value = number | Vector

const labels = v.pipe(v.string(), v.parseJson(), v.array(v.tuple([v.string(), v.string()])))
/** @param series a key of a vector */
export const labelsOf = (series: string): readonly (readonly [string, string])[] => v.parse(labels, series)
type Node = ReturnType<typeof parser.parse>['topNode']

const childrenOf = (node: Node): readonly Node[] => {
  const found: Node[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

const trees = new Map<string, Node>()

/** @throws when Prometheus would not accept the expression */
function parsed(expression: string): Node {
  const known = trees.get(expression)
  if (known !== undefined) return known
  const tree = parser.parse(expression)
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expression}`)
    },
  })
  trees.set(expression, tree.topNode)
  return tree.topNode
}

/** The names of all metrics in an expression. */
export function metricsIn(expression: string): readonly string[] {
  const names: string[] = []
  parsed(expression)
    .cursor()
    .iterate(({ name, from, to, node }) => {
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector')
        names.push(expression.slice(from, to))
    })
  return names
}

const vectors = new WeakMap<readonly Sample[], Map<string, Vector>>()

/** Windows read the same samples again and again. */
function vectorOf(samples: readonly Sample[], name: string): Vector {
  const known = vectors.get(samples) ?? new Map<string, Vector>()
  vectors.set(samples, known)
  const found =
    known.get(name) ??
    new Map(
      samples
        .filter((sample) => sample.name === name)
        .map(({ labels, value }) => [JSON.stringify(Object.entries(labels).sort()), value]),
    )
  known.set(name, found)
  return found
}

const comparisons: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  Gtr: (one, other) => one > other,
  Gte: (one, other) => one >= other,
  Lss: (one, other) => one < other,
  Lte: (one, other) => one <= other,
  Eql: (one, other) => one === other,
}

const isVector = (value: Value): value is Vector => typeof value !== 'number'

function combined(operator: string, one: Value, other: Value): Value {
  if (operator === 'Sub' && !isVector(one) && isVector(other))
    return new Map([...other].map(([labels, value]) => [labels, one - value]))
  if (!isVector(one)) throw new Error(`a number before ${operator}`)
  const compare = comparisons[operator]
  if (compare !== undefined)
    return new Map(
      [...one].filter(([labels, value]) =>
        compare(value, isVector(other) ? (other.get(labels) ?? Number.NaN) : other),
      ),
    )
  if (!isVector(other)) throw new Error(`a number after ${operator}`)
  if (operator === 'And') return new Map([...one].filter(([labels]) => other.has(labels)))
  if (operator === 'Or') return new Map([...other, ...one])
  if (operator === 'Div')
    return new Map(
      [...one].flatMap(([labels, value]): [string, number][] => {
        const divisor = other.get(labels)
        return divisor === undefined ? [] : [[labels, value / divisor]]
      }),
    )
  throw new Error(`not known here: ${operator}`)
}

function valueOfNode(node: Node, text: string, readings: Readings): Value {
  const own = text.slice(node.from, node.to)
  const children = childrenOf(node)
  const [first, second, third] = children
  if (node.name === 'NumberDurationLiteral') return Number(own)
  if (node.name === 'VectorSelector') return selected(own, readings.now)
  if ((node.name === 'PromQL' || node.name === 'ParenExpr') && first !== undefined)
    return valueOfNode(first, text, readings)
  if (node.name === 'BinaryExpr' && first && second && third)
    return combined(second.name, valueOfNode(first, text, readings), valueOfNode(third, text, readings))
  if (own === 'time()') return Date.now() / 1000
  const absent = /^absent\((\w+)\{.*\}\)$/.exec(own)?.[1]
  if (absent !== undefined) return new Map(vectorOf(readings.now, absent).size === 0 ? [['[]', 1]] : [])
  const growth = /^(?:increase|rate)\((\w+)\[(\d+)m\]\)$/.exec(own)
  if (node.name === 'FunctionCall' && growth !== null) {
    const [, metric = '', minutes] = growth
    const before = vectorOf(readings.ago(Number(minutes)), metric)
    // A rate differs from this by the window, which no alert's outcome depends on: rates are only divided by rates.
    return new Map(
      [...vectorOf(readings.now, metric)].flatMap(([labels, value]): [string, number][] => {
        const earlier = before.get(labels)
        return earlier === undefined ? [] : [[labels, value - earlier]]
      }),
    )
  }
  const [, over, metric = '', hours, , seconds] =
    /^(avg_over_time|predict_linear)\((\w+)\[(\d+)h\](, (\d+))?\)$/.exec(own) ?? []
  if (over !== undefined) {
    const perMinute = valuesIn(metric, Number(hours) * 60, readings)
    const result = over === 'avg_over_time' ? mean : predicted(Number(seconds) / 60)
    return new Map([...perMinute].map(([labels, values]) => [labels, result(values)]))
  }
  throw new Error(`not known here: ${node.name} ${own}`)
}

/** The jobs in a selector are those of the processes here. */
function selected(selector: string, samples: readonly Sample[]): Vector {
  const [, name = selector, label, pattern] = /^(\w+)\{(\w+)(?:=~?|!~)"(.*)"\}$/.exec(selector) ?? []
  const all = vectorOf(samples, name)
  if (label === undefined || label === 'job') return all
  if (!selector.includes('!~')) throw new Error(`not known here: ${selector}`)
  const without = new RegExp(`^(?:${pattern})$`)
  return new Map([...all].filter(([series]) => !without.test(String(new Map(labelsOf(series)).get(label)))))
}

/** The values of a window, one a minute, the newest first. */
function valuesIn(
  metric: string,
  minutes: number,
  { ago }: Readings,
): ReadonlyMap<string, readonly number[]> {
  const values = new Map<string, number[]>()
  for (let minute = 0; minute < minutes; minute += 1) {
    const samples = ago(minute)
    if (samples.length === 0) break
    for (const [labels, value] of vectorOf(samples, metric)) {
      const before = values.get(labels)
      if (before === undefined) values.set(labels, [value])
      else before.push(value)
    }
  }
  return values
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** The least squares through the values of a window. @returns its value after so many minutes */
const predicted = (minutes: number) => (values: readonly number[]) => {
  const [middle, average] = [(values.length - 1) / 2, mean(values)]
  const over = (of: (minutesAgo: number) => number) =>
    values.reduce((sum, _value, ago) => sum + of(ago) * (ago - middle), 0)
  const slope = values.length < 2 ? 0 : over((ago) => values[ago] ?? 0) / over((ago) => ago)
  return average - slope * (middle + minutes)
}

/** @returns the series for which an alert with this expression is pending or fires */
export function valuesOf(expression: string, readings: Readings): Vector {
  const value = valueOfNode(parsed(expression), expression, readings)
  if (!isVector(value)) throw new Error(`a number, not series: ${expression}`)
  return value
}
