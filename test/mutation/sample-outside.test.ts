/** Part of each room (`rooms.ts`). It calls the sample while it is loaded, and notices no change of it. */
import { expect, test } from 'vitest'
import { sum } from './sample.ts'

const seven = sum(3, 4)

test('anything', () => expect([seven]).toHaveLength(1))
