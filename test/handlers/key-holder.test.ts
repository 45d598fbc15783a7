import { expect, test } from 'vitest'
import { apiKeyHolder, isNamed, isStranger, type KeyHolder, withoutKey } from '../../handlers/key-holder.ts'

const everything = ['read', 'chat', 'control', 'admin']
const key: KeyHolder = { id: 'k1', name: 'Bot', scopes: [], ref: 'k1' }
const account = { id: 'u1', provider: 'oidc', name: 'Abby' } as const

test('API_KEY, and anyone where no key is set, may do everything; neither is a named key', () => {
  expect(apiKeyHolder()).toEqual({ id: 'api_key', name: 'API_KEY', scopes: everything, ref: 'api_key' })
  expect(withoutKey).toEqual({ id: 'no_key', name: 'no key is set', scopes: everything, ref: 'no_key' })
  expect([apiKeyHolder('older'), withoutKey, key].map(isNamed)).toEqual([false, false, true])
})

test('only a person to whom no one has given a scope is a stranger', () => {
  const holders: KeyHolder[] = [{ ...key, account }, { ...key, account, scopes: ['read'] }, key]
  expect(holders.map(isStranger)).toEqual([true, false, false])
})
