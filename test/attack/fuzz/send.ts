/** Sends random input to a server, on several connections at a time. */
import { connect } from 'node:net'
import { clientFrame, handshakeText } from '../../raw-bytes.ts'
import { type Random, randomBytes, randomFrames, randomHandshake, randomRequest } from './inputs.ts'

export interface FuzzTarget {
  readonly port: number
  readonly key: string
}

/** How often each status occurred; `closed` for connections without an answer. */
export type Outcomes = Map<string, number>

/** @returns the bytes of one connection, which the server answers or closes */
function input(random: Random, key: string): Buffer {
  const kind = random()
  if (kind < 0.05) return randomBytes(random)
  if (kind < 0.6) return randomRequest(random, key)
  if (kind < 0.75) return randomHandshake(random)
  const auth =
    random() < 0.7 ? [clientFrame(1, JSON.stringify({ type: 'auth', payload: { token: key } }))] : []
  return Buffer.concat([Buffer.from(handshakeText('/ws')), ...auth, randomFrames(random, key)])
}

/**
 * Sends so many inputs, each on a separate connection that the client half-closes. @param random makes the inputs; it
 * also picks a tenth of the connections, which are reset instead
 */
export async function fuzz(
  { port, key }: FuzzTarget,
  count: number,
  lanes: number,
  random: Random,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  let left = count
  const lane = async () => {
    while (left > 0) {
      left -= 1
      const outcome = await exchange(port, input(random, key), random() < 0.1)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

function exchange(port: number, bytes: Buffer, isReset: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let outcome = 'closed'
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') outcome = 'refused'
    })
    socket.once('data', (answer) => {
      outcome = /^HTTP\/1\.1 (\d{3}) /.exec(answer.toString('latin1'))?.[1] ?? 'not HTTP'
    })
    socket.resume()
    socket.on('close', () => resolve(outcome))
    socket.write(bytes, () => (isReset ? socket.resetAndDestroy() : socket.end()))
  })
}
