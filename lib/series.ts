/** Series of metrics whose value is read when the metrics are. */
import { Counter, Gauge, type Registry } from './prom-client.ts'

/** What a reading finds; undefined leaves the series as it is. */
type Read = () => number | undefined | Promise<number | undefined>

export const gauge = (registry: Registry, name: string, help: string, read: Read) =>
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read()
      if (value !== undefined) this.set(value)
    },
  })

/** A counter whose value is stored in another place. */
export const counter = (registry: Registry, name: string, help: string, read: Read) =>
  new Counter({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read()
      if (value === undefined) return
      this.reset()
      this.inc(value)
    },
  })
