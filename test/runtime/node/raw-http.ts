/** Requests to a server as raw bytes that no client library sends. */
import { afterAll, expect } from 'vitest'
import { nodeServer } from './node-server.ts'
import { bodyOf, exchange, requestText, statusOf } from './raw-socket.ts'

/** The server is stopped after the tests of the file. */
export async function rawServer() {
  const server = await nodeServer()
  afterAll(() => server.stop())
  const ask = (first: string, ...headers: string[]) => exchange(server.port, requestText(first, ...headers))
  const expectProblem = (answer: string, status: number, code: string) => {
    expect(statusOf(answer)).toBe(status)
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ success: false, error: expect.any(String), code })
    expect(answer).toMatch(/^x-request-id: \S+\r$/im)
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
  }
  /** Expects that nothing was logged as an error, and that the server still answers. */
  const expectUnharmed = async () => {
    expect(server.log.filter(({ message }) => message === 'request failed')).toEqual([])
    expect(statusOf(await ask('GET /health HTTP/1.1'))).toBe(200)
  }
  return { server, ask, expectProblem, expectUnharmed }
}
