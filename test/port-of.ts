import { createServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { listening } from './listening.ts'

/** Makes a server listen on a free port of loopback until the test ends. @returns the port */
export async function portOf(server: Server & { closeAllConnections?(): void }): Promise<number> {
  const port = await listening(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections?.()
  })
  return port
}

/** A port of loopback without a listener. */
export async function unusedPort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
