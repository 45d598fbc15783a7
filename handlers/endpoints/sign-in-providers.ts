import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { providers } from '../key-holder.ts'

export const signInProviders = endpoint('GET /sign-in', {
  at: 'farm',
  access: 'public',
  tag: 'Accounts',
  operationId: 'getSignInProviders',
  summary: 'With whose accounts people can sign in here',
  result: v.object({ providers: v.array(v.object({ id: v.picklist(providers), name: v.string() })) }),
  example: { providers: [{ id: 'discord', name: 'Discord' }] },
  handle: (_request, { accounts }) => ({ providers: [...accounts.providers] }),
})
