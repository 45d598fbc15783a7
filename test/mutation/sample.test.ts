/** Part of each room (`rooms.ts`). */
import { expect, test } from 'vitest'
import { sum, two } from './sample.ts'

test('a value that is computed while the file is loaded', () => expect(two).toBe(2))

test('a value that a test asks for, although another file asks for it outside its tests', () =>
  expect(sum(3, 4)).toBe(7))
