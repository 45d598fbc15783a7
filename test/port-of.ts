import { type AddressInfo, createServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

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

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
