/** A service that farmgate does not have, for tests of a new one at the edge. */
import * as v from 'valibot'
import { endpoint, streamEndpoint } from '../../handlers/endpoint.ts'
import { integer } from '../../handlers/parameter.ts'
import { Problem } from '../../handlers/problem.ts'
import { Stream } from '../../handlers/stream.ts'

/** What the service has done in this process. */
export const lawn = {
  mown: [] as number[],
  /** Pieces that its streams have made. */
  pieces: 0,
  /** Streams that were ended before their end. */
  cancelled: 0,
  /** Called before a cut is made, and before each piece. */
  before: async (): Promise<void> => undefined,
}

const pieceBytes = 300_000

export const mowLawn = endpoint('POST /lawn', {
  at: 'farm',
  scope: 'control',
  tag: 'Server',
  operationId: 'mowLawn',
  summary: 'Mows the lawn',
  body: {
    type: 'application/json',
    schema: v.strictObject({ height: v.number("Member 'height' must be a number") }),
    example: { height: 3 },
    maxBytes: 1024,
  },
  status: 201,
  result: v.object({ height: v.number(), by: v.string() }),
  example: { height: 3, by: 'API_KEY' },
  problems: ['settings_changed'],
  async handle({ body: { height }, holder }) {
    await lawn.before()
    if (height < 0) throw new Problem('settings_changed', 'The lawn is under the ground')
    lawn.mown.push(height)
    return { height, by: holder?.name ?? '' }
  },
})

const lawnPicture = streamEndpoint('GET /lawn/picture', {
  at: 'farm',
  scope: 'read',
  tag: 'Server',
  operationId: 'getLawnPicture',
  summary: 'A picture of the lawn in so many pieces',
  parameters: { pieces: integer(1, 10_000, { description: 'Pieces' }) },
  stream: { type: 'application/octet-stream', description: 'The picture' },
  handle({ query: { pieces } }) {
    let made = 0
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await lawn.before()
          made += 1
          lawn.pieces += 1
          controller.enqueue(new Uint8Array(pieceBytes).fill(made % 256))
          if (made === pieces) controller.close()
        },
        cancel() {
          lawn.cancelled += 1
        },
      },
      { highWaterMark: 0 },
    )
    return new Stream(body, 'application/octet-stream')
  },
})

export const maxSeeds = 2_000_000

const sowLawn = endpoint('POST /lawn/seeds', {
  at: 'farm',
  scope: 'admin',
  tag: 'Server',
  operationId: 'sowLawn',
  summary: 'Sows the lawn',
  parameters: { least: integer(0, 10_000, { description: 'The first byte must be at least this' }) },
  upload: { type: 'application/zip', maxBytes: maxSeeds, description: 'The seeds' },
  // Like every upload: it takes as long as its sender.
  budget: 120_000,
  status: 201,
  result: v.object({ seeds: v.number(), sum: v.number() }),
  example: { seeds: 3, sum: 6 },
  problems: ['settings_changed'],
  async handle({ query: { least }, upload }) {
    let [seeds, sum] = [0, 0]
    for await (const piece of upload) {
      await lawn.before()
      if (seeds === 0 && Number(piece[0]) < least) throw new Problem('settings_changed', 'Bad seeds')
      seeds += piece.length
      lawn.pieces = seeds
      for (const byte of piece) sum += byte
    }
    lawn.mown.push(seeds)
    return { seeds, sum }
  },
})

export const lawnEndpoints = [mowLawn, lawnPicture, sowLawn] as const
