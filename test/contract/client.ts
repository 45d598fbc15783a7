/** The promises of the client (docs/bot.md), with a running server: every runtime passes them. */
import { describe } from 'vitest'
import { clientCalls } from './client/calls.ts'
import { clientLive } from './client/live.ts'
import type { RuntimeUnderTest } from './server-under-test.ts'

export function clientContract(name: string, runtime: RuntimeUnderTest): void {
  describe(`through the client, the control API ${name}`, () => {
    clientCalls(runtime)
    clientLive(runtime)
  })
}
