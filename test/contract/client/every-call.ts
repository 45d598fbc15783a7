/** Every call of the client once, with checks of its answer. The compiler reports a missing call. */
import type { RuntimeUnderTest } from '../server-under-test.ts'
import type { CallsUnderTest } from './call-under-test.ts'
import { gameCalls } from './game-calls.ts'
import { modCalls } from './mod-calls.ts'
import { recordCalls } from './record-calls.ts'

/** @param origin of the server, as in rows of the audit */
export const everyCall = (origin: RuntimeUnderTest['origin']): CallsUnderTest => ({
  ...gameCalls,
  ...modCalls,
  ...recordCalls(origin),
})
