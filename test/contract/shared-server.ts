import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { ServerUnderTest, StartOptions, StartServer } from './server-under-test.ts'

/** One server for a `describe`: starting one can take seconds on some runtimes. */
export function sharedServer(start: StartServer, options?: StartOptions): () => ServerUnderTest {
  let running: ServerUnderTest | undefined
  beforeAll(async () => {
    running = await start(options)
  })
  afterAll(() => running?.stop())
  return () => {
    if (running === undefined) throw new Error('the server is not up')
    return running
  }
}

/** A server for one test. */
export async function ownServer(start: StartServer, options?: StartOptions): Promise<ServerUnderTest> {
  const server = await start(options)
  onTestFinished(() => server.stop())
  return server
}
