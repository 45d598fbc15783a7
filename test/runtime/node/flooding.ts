/** Servers with low rates, and callers far over them. */
import { expect } from 'vitest'
import type { Rates } from '../../../lib/rate-limit.ts'
import type { ServerOptions } from '../../../runtime/node/server.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { statusesOf } from '../../raw-bytes.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'
import { everything, openSocket } from './raw-socket.ts'

const rates = { anonymous: 5, failedKeys: 5 }
export const server = (given: Partial<ServerOptions> = {}, allowed: Partial<Rates> = rates) =>
  ownServer((options) => nodeServer({ ...options, rates: allowed, server: given })) as Promise<NodeServer>
export const request = (first: string, ...headers: readonly string[]) =>
  `${[`${first} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
export const anonymous = request('GET /players')
export const last = request('GET /players', 'Connection: close')
export const bearer = `Authorization: Bearer ${suiteKey}`
/** A connection with one request and answer at a time. */
export async function asking(port: number) {
  const socket = await openSocket(port)
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
  })
  const answers = () => statusesOf(received)
  return {
    socket,
    answers,
    text: () => received,
    async ask(bytes: string) {
      const before = answers().length
      socket.write(bytes)
      await eventually(() => expect(answers().length).toBeGreaterThan(before))
      return answers().at(-1)
    },
  }
}

/** Sends requests until the address is far over its rate. */
export async function flood(node: NodeServer, bytes = anonymous, connections = 3): Promise<void> {
  for (let count = 0; count < connections; count += 1) {
    const socket = await openSocket(node.port)
    const answers = everything(socket)
    socket.write(bytes.repeat(200))
    await answers
  }
}
