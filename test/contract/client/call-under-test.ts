/** How each call of the client is tested. */
import type { CallName } from '../../../client/calls.ts'
import type { Calls, Farm } from '../../../client/index.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

export type CallsUnderTest = {
  readonly [Name in CallName]: (farm: Farm, server: ServerUnderTest) => ReturnType<Calls[Name]>
}
