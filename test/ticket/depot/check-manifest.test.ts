/** The valid manifests, entry by entry. */
import { describe, expect, test } from 'vitest'
import { manifestCheck } from '../../../ticket/depot/format/check-manifest.ts'
import type { Chunk } from '../../../ticket/depot/format/depot-file.ts'

const mebibyte = 2 ** 20
const chunk = (offset: number, more: Partial<Chunk> = {}): Chunk => ({
  sha: `chunk at ${offset}`,
  offset,
  size: 100,
  packed: 128,
  ...more,
})
const judged = (size: number, ...chunks: readonly Chunk[]) => {
  try {
    manifestCheck().file('a', size, chunks)
    return 'taken'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
const refused = 'the manifest\'s chunks do not make up "a"'

describe('the chunks of a file', () => {
  test('cover it exactly, in the order of their offsets', () => {
    expect(judged(250, chunk(0), chunk(100), chunk(200, { size: 50 }))).toBe('taken')
    expect(judged(0)).toBe('taken')
    for (const [size, ...chunks] of [
      [99, chunk(0)],
      [101, chunk(0)],
      [1],
      [0, chunk(0)],
      [300, chunk(0), chunk(200)],
      [200, chunk(1), chunk(101)],
      [200, chunk(0), chunk(99)],
    ] as const)
      expect([size, judged(size, ...chunks)]).toEqual([size, refused])
  })

  test.each<[Partial<Chunk>, string]>([
    [{ size: 16 * mebibyte }, 'taken'],
    [{ size: 16 * mebibyte + 1 }, refused],
    [{ size: 0 }, refused],
    [{ size: -1 }, refused],
    [{ sha: '' }, refused],
    [{ packed: 32 }, 'taken'],
    [{ packed: 16 }, refused],
    [{ packed: 33 }, refused],
    [{ packed: 32 * mebibyte }, 'taken'],
    [{ packed: 32 * mebibyte + 16 }, refused],
  ])('have sizes that a content server can send: %j is %s', (more, expected) => {
    expect(judged(more.size ?? 100, chunk(0, more))).toBe(expected)
  })

  test('with one SHA-1 have one size, in all files', () => {
    const check = manifestCheck()
    check.file('a', 100, [chunk(0, { sha: 'same' })])
    expect(() => check.file('b', 100, [chunk(0, { sha: 'same' })])).not.toThrow()
    expect(() => check.file('c', 50, [chunk(0, { sha: 'same', size: 50 })])).toThrow(
      'the manifest\'s chunks do not make up "c"',
    )
  })
})

test.each([
  ['entry', 100_000, 'the manifest names more than 100000 files'],
  ['chunk', 250_000, 'the manifest names more than 250000 chunks'],
] as const)('there is a largest number of each %s: %i', (what, most, sentence) => {
  const check = manifestCheck()
  for (let count = 0; count < most; count += 1) check[what]()
  expect(() => check[what]()).toThrow(sentence)
})
