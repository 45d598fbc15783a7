import { expect, test, vi } from 'vitest'
import type { FromThread } from '../../../ticket/depot/thread/messages.ts'
import { tellingProgress } from '../../../ticket/depot/thread/telling-progress.ts'

test('of thousands of chunks progress is told ten times a second, and no byte is lost', () => {
  vi.useFakeTimers()
  try {
    const told: FromThread[] = []
    const progress = tellingProgress((message) => told.push(message))
    progress.phase('downloading', 10_000)
    for (let count = 0; count < 5000; count++) progress.advance(1)
    expect(told).toEqual([{ kind: 'phase', phase: 'downloading', total: 10_000 }])
    vi.advanceTimersByTime(1000)
    expect(told.slice(1)).toEqual([{ kind: 'advance', bytes: 5000 }])
    progress.advance(7)
    progress.end()
    expect(told.slice(2)).toEqual([{ kind: 'advance', bytes: 7 }, { kind: 'end' }])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
