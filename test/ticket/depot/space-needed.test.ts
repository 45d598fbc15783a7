/** How much disk space a download needs. */
import { describe, expect, test } from 'vitest'
import { spaceNeeded } from '../../../ticket/depot/install/space.ts'
import { chunk, file } from './depot-file.ts'

describe('the space that a download needs', () => {
  const work = (oldSize: number, copied: number, fetched: number) => ({
    file: file('a'),
    at: 'a',
    copy: [chunk('copied', 0, copied)],
    fetch: [chunk('fetched', copied, fetched)],
    why: 'different' as const,
    oldSize,
  })

  test('is that of all new files', () => {
    expect([spaceNeeded([]), spaceNeeded([work(0, 0, 5), work(0, 3, 4)])]).toEqual([0, 12])
  })

  test('is for replaced files their growth, and in addition the largest of them', () => {
    expect(spaceNeeded([work(10, 6, 4)])).toBe(10)
    expect(spaceNeeded([work(10, 6, 9)])).toBe(15)
    expect(spaceNeeded([work(10, 2, 1)])).toBe(3)
    expect(spaceNeeded([work(10, 6, 9), work(20, 10, 10), work(0, 0, 1)])).toBe(5 + 0 + 1 + 20)
  })
})
