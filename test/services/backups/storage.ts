import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { portOf } from '../../port-of.ts'

/** Storage on loopback whose answers a test sets. @returns the address of its bucket */
export async function faultyStorage(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  return `http://127.0.0.1:${await portOf(server)}/farm`
}

/** Storage on loopback that answers every request with these bytes, and keeps the connection open. */
export async function rawStorage(answer: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(answer)).resume()
  })
  return `http://127.0.0.1:${await portOf(server)}/farm`
}

/** An error as S3-compatible storage writes it. */
export const refusal = (code: string, message = 'refused') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`

/** Everything in a stream. */
export async function all(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
