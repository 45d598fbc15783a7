/** A farm whose protocol of the link has another number than the edge's. */
import { reset } from 'cloudflare:test'
import { afterEach, expect, test } from 'vitest'
import { get, openOrigin } from './origin.ts'

afterEach(reset)

test.each([
  [2, 'The edge is older than the farm. Update the edge.'],
  [0, 'The one at the farm is older than the edge. Update farmgate at the farm.'],
])(
  'a farm with the number %i stays linked: its unknown frames are ignored, and a call that it does not know is 501 that names the end with the lower number',
  async (version, names) => {
    const origin = await openOrigin('run of another number', { version })
    origin.send({ type: 'later', what: [1] })
    origin.send({ type: 'event', event: { type: 'later' } })
    origin.send('{"type":"later"}\nwith a second line')
    const keys = get('/keys')
    const { id } = await origin.take('call')
    origin.send({ type: 'failure', id, failure: { kind: 'unsupported', by: 'farmgate', what: 'do that' } })
    expect([(await keys).status, await (await keys).json()]).toMatchObject([
      501,
      { code: 'unsupported', error: `farmgate cannot do that. ${names}` },
    ])
    const fps = get('/rendering')
    const call = await origin.take('call')
    origin.send({ type: 'later', id: call.id })
    expect((await fps).status).toBe(502)
  },
)
