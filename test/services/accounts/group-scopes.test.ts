import { expect, test } from 'vitest'
import { openedAccounts } from '../../records/memory-accounts.ts'
import { memoryFarm } from '../../records/memory-records.ts'

test('a session loses the scopes of groups within a minute after the week, although nothing else changes', async () => {
  let at = Date.parse('2026-11-21T12:00:00Z')
  const now = () => at
  const { records, keys } = await memoryFarm('key', now)
  const { tick } = openedAccounts(records, { now })
  await records.calls.setAccountGroups([{ provider: 'oidc', id: 'moderators', scopes: ['control'] }])
  const person = { provider: 'oidc', subject: 'left', name: 'Leah', groups: ['moderators'] } as const
  await records.calls.signIn(person, { id: 'left', digest: Buffer.alloc(32, 1), accountId: 'leah' }, at)
  const scopes = () => keys.named?.find(({ id }) => id === 'left')?.scopes
  await tick()
  expect(scopes()).toEqual(['control'])
  at += 7 * 86_400_000
  await tick()
  expect(scopes()).toEqual([])
})
