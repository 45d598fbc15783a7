import { createServer } from 'node:http'
import { portOf } from '../port-of.ts'

/** An HTTP server without routes, which answers malformed requests with 400. @returns its port */
export async function plainServer() {
  const server = createServer((_request, response) => response.writeHead(404).end())
  return portOf(server)
}
