import { expect, test, vi } from 'vitest'
import { withTimeLimit } from '../../lib/time-limit.ts'

const late = () => new Error('too late')

test('an answer in time is passed on, and no timer remains', async () => {
  vi.useFakeTimers()
  try {
    expect(await withTimeLimit(1000, Promise.resolve('answer'), late)).toBe('answer')
    await expect(withTimeLimit(1000, Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test("without an answer in time it fails with the caller's error", async () => {
  await expect(withTimeLimit(1, new Promise(() => undefined), late)).rejects.toThrow('too late')
})
