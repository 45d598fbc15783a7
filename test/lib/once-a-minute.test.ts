import { expect, test } from 'vitest'
import { onceAMinute } from '../../lib/once-a-minute.ts'

test('a frequent event is logged at most once a minute, with its count', () => {
  let now = 5
  const written: unknown[] = []
  const note = onceAMinute(
    (address: string, count) => void written.push({ address, count }),
    () => now,
  )
  for (let count = 0; count < 3; count += 1) note('192.0.2.1')
  expect(written).toEqual([{ address: '192.0.2.1', count: 1 }])
  now += 60_000
  note('192.0.2.2')
  expect(written.slice(1)).toEqual([{ address: '192.0.2.2', count: 3 }])
})
