/** How each call of the client is tested. */
import type { CallName } from '../../../client/calls.ts'
import type { Calls, Farm } from '../../../client/index.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

/** Calls of people who have signed in, which `accounts.ts` tests. */
type OfPeople = 'takeSession' | 'signOut' | 'acceptInvitation'

export type CallsUnderTest = {
  readonly [Name in Exclude<CallName, OfPeople>]: (
    farm: Farm,
    server: ServerUnderTest,
  ) => ReturnType<Calls[Name]>
}
