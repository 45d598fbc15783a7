/** The common parts of all phases of the soak. */
import type { Row } from '../../bench/measure.ts'

export interface Phase {
  /** For `--phase`, which runs all phases with this start of their names. */
  readonly name: string
  readonly title: string
  /** Its part of the time of all phases. */
  readonly share: number
  /** @param seconds for which it makes load; starting and stopping come on top */
  run(seconds: number): Promise<readonly Row[]>
}

/** A row that holds when the number is at most the bound. */
export const atMost = (what: string, measured: number, bound: number, unit = '', digits = 0): Row => ({
  what,
  measured: `${measured.toFixed(digits)}${unit}`,
  bound: `≤ ${bound}${unit}`,
  holds: measured <= bound,
})

/** A row that holds when nothing was counted. @param counts how often, by kind */
export const none = (what: string, counts: Readonly<Record<string, number>>): Row => {
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  return {
    what,
    measured: found.length === 0 ? '0' : found.map(([kind, count]) => `${kind}: ${count}`).join(', '),
    bound: '0',
    holds: found.length === 0,
  }
}

export const megabyte = 1024 * 1024
