/** WebSocket frames after the categories of the Autobahn test suite. */
import { afterEach, describe, expect, test } from 'vitest'
import { openAuthenticated } from '../contract/chat-client.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { edgeServer } from '../edge/edge-server.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { closeCases, malformedCloseCases } from './frames/closing.ts'
import { binary, close, type FrameCase, message, ping, text } from './frames/frame-case.ts'
import { lengthCases, maskCases, opcodeCases, reservedBitCases } from './frames/framing.ts'
import { fragmentCases, invalidUtf8Cases, pingCases, utf8Cases } from './frames/messages.ts'
import { type FrameSession, frameSession } from './frames/session.ts'

const beforeAuth: readonly FrameCase[] = [
  ['a ping', [ping('x')], ['PONG x']],
  ['a message', [text('{"type":"chat_send"}')], ['auth_failed', 'CLOSE 1008']],
  ['a text that is not JSON', [text('{')], ['auth_failed', 'CLOSE 1008']],
  ['binary data', [binary('x')], ['auth_failed', 'CLOSE 1008']],
  ['a malformed frame', [text(message(), { reserved: 0x40 })], ['CLOSE 1002']],
  ['a text of 16,385 bytes', [text(message(16_385))], ['CLOSE 1009']],
  ['six pings', Array(6).fill(ping('x')), [...Array(5).fill('PONG x'), 'auth_failed', 'CLOSE 1008']],
  ['a close', [close(1000)], ['CLOSE 1000']],
]

const categories = {
  'a frame with': lengthCases,
  'a frame under': maskCases,
  'a frame with the reserved': reservedBitCases,
  'a frame of': opcodeCases,
  'control frames:': pingCases,
  'fragments:': fragmentCases,
  'a text with': utf8Cases,
  'a text with bytes that are not UTF-8:': invalidUtf8Cases,
  'a close with': closeCases,
  'a malformed close with': malformedCloseCases,
}

describe('on Node', () => {
  const server = sharedServer(nodeServer) as () => NodeServer
  afterEach(() => expect(server().log.filter(({ level }) => level === 'error')).toEqual([]))

  /** Sends the frames at once, and short ones a second time byte by byte, and expects the outcome. */
  async function expectOutcome([, frames, outcome]: FrameCase, isAuthenticated = true): Promise<void> {
    const bytes = Buffer.concat(frames)
    for (const piece of bytes.length < 300 ? [bytes.length, 1] : [bytes.length]) {
      const session = await frameSession(server(), isAuthenticated)
      session.send(bytes, piece)
      expect(await heardBy(session, outcome)).toEqual(outcome)
    }
  }

  describe.each(Object.entries(categories))('%s', (_what, cases) => {
    test.each(cases)('%s', (...given) => expectOutcome(given))
  })
  describe('before auth,', () => {
    test.each(beforeAuth)('%s', (...given) => expectOutcome(given, false))
  })

  test('an offer to compress is not accepted', async () => {
    const client = await openAuthenticated(server())
    expect(client.ws.extensions).toBe('')
    await client.settled()
  })
})

/** @returns the server's frames, without the answer to a final ping that shows that the connection is open */
async function heardBy({ socket, heard }: FrameSession, outcome: readonly string[]) {
  if (outcome.at(-1)?.startsWith('CLOSE')) {
    await eventually(() => socket.closed)
    return heard()
  }
  socket.write(ping('last'))
  await eventually(() => heard().at(-1) === 'PONG last' || socket.closed)
  return socket.closed ? [...heard(), 'the connection ended'] : heard().slice(0, -1)
}

// There the platform reads the frames, and decides which of them it refuses.
describe('in workerd, other clients are answered before and after', () => {
  const server = sharedServer(edgeServer)

  test.each(Object.entries(categories))('%s', async (_what, cases) => {
    const witness = await openAuthenticated(server())
    for (const [, frames] of cases) {
      const { socket, send } = await frameSession(server(), true)
      send(Buffer.concat(frames))
      await witness.settled()
      socket.destroy()
    }
    await openAuthenticated(server())
  })
})
