/** WebSocket frames: what `ws` refuses (it passes the Autobahn test suite) has one case a kind, our own limits have each. */
import { afterEach, describe, expect, test } from 'vitest'
import { openAuthenticated } from '../contract/chat-client.ts'
import type { ServerUnderTest } from '../contract/server-under-test.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { edgeServer } from '../edge/edge-server.ts'
import { clientFrame, type FrameOptions } from '../raw-bytes.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { rawClient } from '../runtime/node/raw-client.ts'

/** @param outcome the code of the server's close, or undefined: the connection stays open and answers */
type FrameCase = readonly [what: string, frames: readonly Buffer[], outcome?: number]

const text = (payload: Buffer | string, options?: FrameOptions) => clientFrame(1, payload, options)
const binary = (payload: Buffer | string, options?: FrameOptions) => clientFrame(2, payload, options)
const more = (payload: Buffer | string, options?: FrameOptions) => clientFrame(0, payload, options)
const ping = (payload: string, options?: FrameOptions) => clientFrame(9, payload, options)
const unfinished = { fin: false } as const
const question = '{"type":"ping"}'
const invalid = Buffer.from('7b22c080', 'hex')

const cases: readonly FrameCase[] = [
  ['a text of 1 MB', [text(question.padEnd(1_000_000))], 1009],
  ['an announced length of 2^60 bytes', [text('', { length: 2 ** 60 })], 1009],
  [
    'a fragment for each byte',
    [text('', unfinished), ...[...question].map((one) => more(one, unfinished)), more('')],
  ],
  ['thousands of fragments', [text('x', unfinished), ...Array(5000).fill(more('x', unfinished))], 1008],
  ['a ping between fragments', [text('{"type":', unfinished), ping('x'), more('"ping"}')]],
  ['an empty text', [text('')]],
  ['a length in eight bytes that fits in one', [text(question, { lengthBytes: 8 })]],
  ['a mask of several bits', [text(question, { mask: Buffer.from([0x37, 0xfa, 0x21, 0x3d]) })]],
  ['fragments of binary data', [binary('x', unfinished), more('y')], 1003],
  ['an unmasked text', [text(question, { mask: null })], 1002],
  ['a reserved bit', [text(question, { reserved: 0x40 })], 1002],
  ['a reserved opcode', [clientFrame(3, '')], 1002],
  ['a ping of 126 bytes', [ping('x'.repeat(126))], 1002],
  ['a fragmented ping', [ping('x', unfinished)], 1002],
  ['a continuation of nothing', [more(question)], 1002],
  ['a text inside another', [text('{', unfinished), text(question)], 1002],
  ['a close with one byte', [clientFrame(8, 'x')], 1002],
  ['a close with the code 1005', [clientFrame(8, Buffer.from([0x03, 0xed]))], 1002],
  ['a text that is not UTF-8', [text(invalid)], 1007],
  ['a malformed frame behind a message', [text(question), text(question, { reserved: 0x40 })], 1002],
]

describe('on Node', () => {
  const server = sharedServer(nodeServer) as () => NodeServer
  afterEach(() => expect(server().log.filter(({ level }) => level === 'error')).toEqual([]))

  async function expectOutcome([, frames, outcome]: FrameCase): Promise<void> {
    const bytes = Buffer.concat(frames)
    for (const size of bytes.length < 300 ? [bytes.length, 1] : [bytes.length]) {
      const { socket, closeCode, answers } = await rawClient(server())
      for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size))
      if (outcome !== undefined) expect(await closeCode()).toBe(outcome)
      else await answers()
      socket.destroy()
    }
  }
  test.each(cases.map((one) => [one[0], one] as const))('%s', (_what, one) => expectOutcome(one))

  test('an offer to compress is not accepted', async () => {
    const client = await openAuthenticated(server())
    expect(client.ws.extensions).toBe('')
    await client.settled()
  })
})

// There the platform reads the frames, and decides which of them it refuses.
test('in workerd other clients are answered before and after each of them', async () => {
  const server: ServerUnderTest = await edgeServer()
  const witness = await openAuthenticated(server)
  for (const [, frames] of cases) {
    const { socket } = await rawClient(server)
    socket.write(Buffer.concat(frames))
    await witness.settled()
    socket.destroy()
  }
  await openAuthenticated(server)
  await server.stop()
})
