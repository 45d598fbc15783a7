/** Connections of the client that the tests observe and break. */
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type ChatLine, connect, type FarmEvent, FarmgateError, type Live } from '../../../client/index.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

/** A client whose connections the test can break. */
export function breakable({ url, key }: Pick<ServerUnderTest, 'url' | 'key'>) {
  const sockets: WebSocket[] = []
  class Recorded extends WebSocket {
    constructor(address: string) {
      super(address)
      sockets.push(this)
    }
  }
  return {
    farm: connect({ url, key, WebSocket: Recorded }),
    drop() {
      for (const socket of sockets.splice(0)) socket.terminate()
    },
  }
}

/** Everything that a live connection reports, in order. */
export function recorded(live: Live) {
  onTestFinished(() => live.close())
  const lines: ChatLine[] = []
  const events: FarmEvent[] = []
  const gaps: unknown[] = []
  const states: string[] = []
  live.on('chat', (line) => lines.push(line))
  live.on('event', (event) => events.push(event))
  live.on('gap', (gap) => gaps.push(gap))
  live.on('state', (state) => states.push(state))
  return { lines, events, gaps, states, said: () => lines.map(({ message }) => message) }
}

/** The error of a call. */
export const failureOf = async (call: Promise<unknown>): Promise<FarmgateError> => {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure instanceof FarmgateError) return failure
  throw new Error('the call did not fail with a FarmgateError', { cause: failure })
}
