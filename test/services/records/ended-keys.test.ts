/** Keys for one visit, such as those of links into a dashboard. */
import { expect, test } from 'vitest'
import { memoryOwnRecords } from '../../records/memory-records.ts'

test('a key for less than a day leaves the list when it has ended, so visits never fill it; a key for days stays until it is revoked', async () => {
  let now = Date.now()
  const records = memoryOwnRecords(() => now).of('local')
  await records.makeKey({ name: 'bot', scopes: ['chat'], expiresInDays: 1 })
  now += 1
  await records.makeKey({ name: 'visit', scopes: ['admin'], expiresInMinutes: 60 })
  now += 59 * 60_000
  expect((await records.keys()).map(({ name }) => name)).toEqual(['bot', 'visit'])
  now += 3 * 86_400_000
  expect((await records.keys()).map(({ name }) => name)).toEqual(['bot'])
})
