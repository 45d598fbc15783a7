/** Every call of the client once, with what its answer must show. The compiler tells a call that is missing here. */
import type { RuntimeUnderTest } from '../server-under-test.ts'
import type { CallsUnderTest } from './call-under-test.ts'
import { gameCalls } from './game-calls.ts'
import { recordCalls } from './record-calls.ts'

/** @param origin of the server, as rows of the audit name it */
export const everyCall = (origin: RuntimeUnderTest['origin']): CallsUnderTest => ({
  ...gameCalls,
  ...recordCalls(origin),
})
