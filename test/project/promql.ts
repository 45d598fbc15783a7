/**
 * The part of PromQL that the alerts of deploy/prometheus use, over readings of the metrics at two times. The grammar
 * is Prometheus's own; any other expression is an error.
 */
import { parser } from '@prometheus-io/lezer-promql'
import type { Sample } from '../runtime/node/scrape.ts'

export interface Readings {
  readonly now: readonly Sample[]
  /** So many minutes earlier; none before the first reading. */
  ago(minutes: number): readonly Sample[]
}

/** A value for each set of labels, which are JSON. */
export type Vector = ReadonlyMap<string, number>
type Value = number | Vector
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

const vectorOf = (samples: readonly Sample[], name: string): Vector =>
  new Map(
    samples
      .filter((sample) => sample.name === name)
      .map(({ labels, value }) => [JSON.stringify(Object.entries(labels).sort()), value]),
  )

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
  if (compare !== undefined && !isVector(other))
    return new Map([...one].filter(([, value]) => compare(value, other)))
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
  // The jobs in a selector are those of the processes here.
  if (node.name === 'VectorSelector') return vectorOf(readings.now, own.replace(/\{job=.*\}$/, ''))
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
  const mean = /^avg_over_time\((\w+)\[(\d+)h\]\)$/.exec(own)
  if (mean !== null) return meanOf(mean[1] ?? '', Number(mean[2]) * 60, readings)
  throw new Error(`not known here: ${node.name} ${own}`)
}

/** The mean of the values of a window, one a minute. */
function meanOf(metric: string, minutes: number, { ago }: Readings): Vector {
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
  return new Map(
    [...values].map(([labels, all]) => [labels, all.reduce((sum, value) => sum + value, 0) / all.length]),
  )
}

/** @returns the series for which an alert with this expression is pending or fires */
export function valuesOf(expression: string, readings: Readings): Vector {
  const value = valueOfNode(parsed(expression), expression, readings)
  if (!isVector(value)) throw new Error(`a number, not series: ${expression}`)
  return value
}
