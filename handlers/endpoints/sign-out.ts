import { deletionAnswer, deletionResult } from '../deletion.ts'
import { endpoint } from '../endpoint.ts'
import type { Account, KeyHolder } from '../key-holder.ts'
import { boolean, optional } from '../parameter.ts'
import { Problem } from '../problem.ts'

/** @throws {Problem} not_signed_in for a key */
export function personOf(holder: KeyHolder | undefined): KeyHolder & { readonly account: Account } {
  const account = holder?.account
  if (holder === undefined || account === undefined)
    throw new Problem('not_signed_in', 'This is for people who have signed in; a key has no account')
  return { ...holder, account }
}

export const signOut = endpoint('POST /sign-out', {
  at: 'farm',
  tag: 'Accounts',
  operationId: 'signOut',
  summary: 'Ends the session, or all sessions of the person; their sockets are closed',
  parameters: {
    everywhere: optional(boolean({ description: 'Ends all sessions of the person' })),
  },
  endsSession: true,
  result: deletionResult,
  example: { success: true, message: 'You are signed out' },
  problems: ['not_signed_in'],
  async handle({ query: { everywhere = false }, holder }, { accounts }) {
    const stored = await accounts.signOut(personOf(holder), everywhere)
    return deletionAnswer(everywhere ? 'You are signed out everywhere' : 'You are signed out', stored || true)
  },
})
