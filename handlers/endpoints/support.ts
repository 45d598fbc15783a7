import { docs } from '../described.ts'
import { streamEndpoint } from '../endpoint.ts'
import { fileStream } from '../file-stream.ts'
import { boolean, optional } from '../parameter.ts'

export const support = streamEndpoint('GET /support', {
  at: 'farm',
  scope: 'admin',
  tag: 'Diagnostics',
  operationId: 'getSupport',
  summary: docs('A zip for asking for help, without keys, secrets, addresses and e-mails'),
  parameters: {
    names: optional(
      boolean({
        description: docs('Names of players stay; otherwise each is a token'),
        example: docs('true'),
      }),
    ),
  },
  stream: { type: 'application/zip', description: docs('The bundle; its README.txt names each file') },
  problems: ['range_not_satisfiable'],
  async handle({ query: { names = false }, now, range }, { support }) {
    const bundle = await support.bundle(names)
    const read = async (from: number, length: number) => bundle.subarray(from, from + length)
    const name = `farmgate-support-${now.slice(0, 10)}`
    return fileStream({ bytes: bundle.length, tag: now, read }, { name, range })
  },
})
