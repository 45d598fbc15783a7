import { expect, test, vi } from 'vitest'
import { batchedProgress } from '../../../ticket/depot/thread/batched-progress.ts'

test('for thousands of chunks progress is reported ten times a second, and every byte is counted', () => {
  vi.useFakeTimers()
  try {
    const reported: unknown[][] = []
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void reported.push([name, ...args])
    const progress = batchedProgress({
      phase: note('phase'),
      advance: note('advance'),
      say: note('say'),
      warn: note('warn'),
      end: note('end'),
    })
    progress.phase('downloading', 10_000)
    for (let count = 0; count < 5000; count++) progress.advance(1)
    expect(reported).toEqual([['phase', 'downloading', 10_000]])
    vi.advanceTimersByTime(1000)
    expect(reported.slice(1)).toEqual([['advance', 5000]])
    progress.advance(7)
    progress.end()
    expect(reported.slice(2)).toEqual([['advance', 7], ['end']])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
