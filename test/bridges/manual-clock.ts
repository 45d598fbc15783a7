import type { Clock } from '../../lib/clock.ts'

export interface ManualClock extends Clock {
  /** Moves the clock and runs the timers that are due, in order, each at its own time. */
  advance(milliseconds: number): void
}

/** A clock that tests move by hand. */
export function manualClock(start = Date.UTC(2026, 10, 21, 12)): ManualClock {
  let now = start
  let count = 0
  const due = new Map<number, { readonly at: number; readonly run: () => void }>()
  const next = (until: number) =>
    [...due].filter(([, { at }]) => at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]
  return {
    now: () => now,
    monotonic: () => now,
    random: () => 0.5,
    after(milliseconds, run) {
      count += 1
      const id = count
      due.set(id, { at: now + milliseconds, run })
      return () => void due.delete(id)
    },
    advance(milliseconds) {
      const until = now + milliseconds
      for (let found = next(until); found !== undefined; found = next(until)) {
        const [id, { at, run }] = found
        due.delete(id)
        now = at
        run()
      }
      now = until
    },
  }
}
