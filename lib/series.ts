/** Series of metrics whose value is read when the metrics are. */
import type { Registry } from './prometheus.ts'

/** What a reading finds; undefined leaves the series as it is. */
type Read<Value> = () => Value | undefined | Promise<Value | undefined>

/** Adds metrics of one value. */
const single =
  (type: 'gauge' | 'counter') =>
  (registry: Registry, name: string, help: string, read: Read<number>): void => {
    let value = 0
    registry.registerMetric({
      ...{ name, help, type, labelNames: [] },
      async samples() {
        value = (await read()) ?? value
        return [{ labels: {}, value }]
      },
    })
  }

export const gauge = single('gauge')

/** A counter whose value is stored in another place. */
export const counter = single('counter')

/** A gauge with a series for each value of a label. */
export function gauges(
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  read: Read<Readonly<Record<string, number>>>,
): void {
  let values: Readonly<Record<string, number>> = {}
  registry.registerMetric({
    ...{ name, help, type: 'gauge', labelNames: [label] },
    async samples() {
      values = (await read()) ?? values
      return Object.entries(values).map(([of, value]) => ({ labels: { [label]: of }, value }))
    },
  })
}
