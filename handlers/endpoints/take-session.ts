import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { Problem } from '../problem.ts'
import { codeBody } from './show-invitation.ts'

export const takeSession = endpoint('POST /sign-in/session', {
  at: 'farm',
  access: 'public',
  tag: 'Accounts',
  operationId: 'takeSession',
  summary:
    'The secret of a new session, once, for the code that the callback put into the address of the page',
  body: codeBody,
  result: v.object({ secret: v.string() }),
  example: { secret: 'c29tZSByYW5kb20gYnl0ZXMgb2YgYSBzZXNzaW9uISE' },
  problems: ['not_signed_in'],
  async handle({ body: { code } }, { accounts }) {
    const taken = await accounts.takeSession(code)
    if (taken === undefined)
      throw new Problem('not_signed_in', 'This code is unknown, used or over two minutes old; sign in again')
    return taken
  },
})
